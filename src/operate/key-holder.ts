/**
 * The active API keys, by the names the ledger knows them by: read again from their files when the
 * service refuses them.
 */
import type { ApiConfig, KeyConfig } from "../config/config.ts";
import { readSecretText } from "../config/text/read-files.ts";
import type { EligibleKeys, PayingKey } from "../requests/reservation.ts";
import type { Files } from "../model/files.ts";
import type { Hash } from "../model/hash.ts";

export interface HeldKey {
  /** As the configuration calls it, else a short hash: what may be shown and stored. */
  readonly name: string;
  /** Requests a month of this key alone; undefined where the configuration names none. */
  readonly monthly: number | undefined;
  /** A short hash of the key itself: another key of the same name has another one. */
  readonly fingerprint: string;
}

export interface KeyHolder {
  /** The key of that name; of a name nobody has, the first. */
  readonly key: (name?: string) => string;
  /** In the order of the configuration; at least one. */
  readonly held: readonly [HeldKey, ...HeldKey[]];
  set(api: ApiConfig): void;
  /** True when the file of that key, or of the first, holds another one than before. */
  renew(name?: string): Promise<boolean>;
}

interface Held extends HeldKey {
  readonly text: string;
  readonly config: KeyConfig;
}

export function createKeyHolder(
  api: ApiConfig,
  deps: { readonly files: Files; readonly hash: Hash; addSecret(text: string): void },
): KeyHolder {
  const hold = (config: KeyConfig, text: string): Held => {
    deps.addSecret(text);
    const fingerprint = shortHash(deps.hash, text);
    return { name: config.name ?? fingerprint, monthly: config.monthly, fingerprint, text, config };
  };
  const holdAll = (next: ApiConfig): [Held, ...Held[]] => {
    const [first, ...others] = next.keys ?? [];
    const only = first ?? {
      key: next.key,
      ...(next.keyFile === undefined ? {} : { keyFile: next.keyFile }),
    };
    return [hold(only, only.key), ...others.map((config) => hold(config, config.key))];
  };
  let held = holdAll(api);
  const find = (name: string | undefined): Held => held.find((one) => one.name === name) ?? held[0];
  return {
    key: (name) => find(name).text,
    get held() {
      return held;
    },
    set(next) {
      held = holdAll(next);
    },
    async renew(name) {
      const old = find(name);
      const { keyFile } = old.config;
      if (keyFile === undefined) return false;
      const text = await readSecretText(deps.files, keyFile).catch(() => old.text);
      if (text === old.text || text === "") return false;
      const renewed = hold(old.config, text);
      const [first, ...others] = held;
      held = [
        first === old ? renewed : first,
        ...others.map((one) => (one === old ? renewed : one)),
      ];
      return true;
    },
  };
}

/**
 * Those that may pay, of the ones that can. An only key is held by the limit of the whole, which
 * knows what another key has spent before it; and where none can, the first is asked, so that its
 * refusal is seen.
 */
export function eligibleKeysOf(
  held: KeyHolder["held"],
  usable: readonly PayingKey[],
): EligibleKeys {
  const [first, ...others] = usable;
  return first === undefined || held.length < 2
    ? [{ name: held[0].name, limit: undefined }]
    : [first, ...others];
}

/** Eight digits distinguish keys and give nothing away. */
const shortHash = (hash: Hash, text: string): string =>
  `key-${hash(`api key\n${text}`).slice(0, 8)}`;
