/**
 * Holds the active API keys by the names that the ledger uses for them. If the service refuses a
 * key, the key is read from its file again.
 */
import type { ApiConfig, KeyConfig } from "../config/config.ts";
import { readSecretText } from "../config/text/read-files.ts";
import type { EligibleKeys, PayingKey } from "../requests/reservation.ts";
import type { Files } from "../model/files.ts";
import type { Hash } from "../model/hash.ts";

export interface HeldKey {
  /** The key's name in the configuration, or else a short hash. It may be shown and stored. */
  readonly name: string;
  /**
   * How many requests this key may make in a month; undefined if the configuration sets no limit.
   */
  readonly monthly: number | undefined;
  /** A short hash of the key itself, which shows whether a key was replaced under the same name. */
  readonly fingerprint: string;
}

export interface KeyHolder {
  /** Returns the key with that name, or the first key if there is none. */
  readonly key: (name?: string) => string;
  /** The keys in the order of the configuration; at least one. */
  readonly held: readonly [HeldKey, ...HeldKey[]];
  set(api: ApiConfig): void;
  /**
   * Reads the file of the named key, or of the first key, again. Returns true if the file now holds
   * a different key.
   */
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
      keyFile: next.keyFile,
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
 * Returns the keys that may be used for a request. If only one key is configured, it has no limit
 * of its own, and the total limit applies, which also counts the requests of earlier keys. If no
 * key is usable, the first one is returned, so that the service's refusal is noticed.
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

/**
 * Returns a name for a key without a configured one. The eight digits of its hash distinguish keys
 * and reveal nothing about them.
 */
const shortHash = (hash: Hash, text: string): string =>
  `key-${hash(`api key\n${text}`).slice(0, 8)}`;
