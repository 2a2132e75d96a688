/**
 * Several keys that share the load: sets one aside that the service refuses, or that gets no answer where others do, tells the operator
 * once, asks the service about it now and then, and tells when it is back. With one key it only lets the gate do what it does without.
 */
import type { AsideKey, AsideReason, KeyRing } from "../../budget/key-ring.ts";
import type { Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import type { Notes } from "../../model/store.ts";
import type { UpstreamError } from "../../model/upstream.ts";
import type { Notices } from "../../model/notices.ts";
import { createRepeated } from "../health/repeat.ts";
import type { FailedWith } from "../../requests/gate-keys.ts";

export interface KeyWatch {
  /** Those that may pay now; all of them when none is good, so that the service itself says so. */
  usable(): readonly string[];
  readonly aside: readonly AsideKey[];
  refused(key: string, error: UpstreamError, sentAtMs: number): Promise<boolean>;
  paid(key: string, sentAtMs: number, failedWith?: FailedWith): void;
  /** Asks about the keys set aside; true when one of them may pay again. */
  probe(): Promise<boolean>;
  /** The keys in force are others now. */
  reset(): void;
  start(): Promise<void>;
  stop(): void;
}

export interface KeyWatchDeps {
  readonly ring: KeyRing;
  /** Names of the keys in force. */
  readonly keys: () => readonly string[];
  /** Reads a key's file again; true when it holds another one now. */
  readonly renew: (key: string) => Promise<boolean>;
  /** Asks /key-usage-info with this key, which is free; true when it has requests left. */
  readonly ask: (key: string) => Promise<boolean>;
  readonly notices: Notices;
  readonly notes: Notes;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

const CHECK_EVERY_MS = 60_000;
/** Keys whose trouble was told, so that a restart does not tell it again. */
const NOTE = "keys.refused";
/** So many requests in a row that failed with a key and were answered with another, over so long a time, are the key's trouble. */
const FAILURES = 3;
const FAILING_MS = 60_000;

export function createKeyWatch(deps: KeyWatchDeps): KeyWatch {
  const { ring, clock } = deps;
  const told = new Set<string>();
  const renewedAtMs = new Map<string, number>();
  /** By key, what failed with it and was answered with another since it paid last. */
  const failing = new Map<string, { readonly sinceMs: number; readonly requests: number }>();

  const usable = (): readonly string[] => {
    const keys = deps.keys();
    const good = ring.usable(keys);
    return good.length === 0 ? keys : good;
  };

  const remember = () => deps.notes.writeNote(NOTE, [...told]).catch(() => undefined);

  const tellAside = async (key: string, error: UpstreamError): Promise<void> => {
    deps.meter.set("chirpwatch_key_up", 0, { key });
    if (told.has(key)) return;
    told.add(key);
    await remember();
    const others = ring.usable(deps.keys()).length;
    const rest = others === 0 ? "no other is left" : others === 1 ? "1 other goes on" : `${others} others go on`;
    await deps.notices.tell({
      type: "key.refused",
      subject: key,
      severity: "warning",
      message: `${whatOf(key, error)}: it is set aside, ${rest}.`,
      hint: CURES[reasonOf(error)],
      facts: { key },
    });
  };

  /** Its requests fail, and with another key they do not. */
  const doubt = async (key: string, error: UpstreamError): Promise<void> => {
    const nowMs = clock.monotonic();
    const { sinceMs, requests } = failing.get(key) ?? { sinceMs: nowMs, requests: 0 };
    failing.set(key, { sinceMs, requests: requests + 1 });
    if (requests + 1 < FAILURES || nowMs - sinceMs < FAILING_MS || !ring.usable(deps.keys()).includes(key)) return;
    failing.delete(key);
    ring.setAside(key, "failing", nowMs);
    await tellAside(key, error);
  };

  const tellBack = async (key: string): Promise<void> => {
    deps.meter.set("chirpwatch_key_up", 1, { key });
    if (!told.delete(key)) return;
    await remember();
    await deps.notices.tell({
      type: "key.recovered",
      subject: key,
      severity: "info",
      message: `The data service takes the key ${key} again.`,
      facts: { key },
    });
  };

  const askAbout = async (keys: readonly string[]): Promise<boolean> => {
    let isAnyGood = false;
    for (const key of keys) {
      if (!(await deps.ask(key))) continue;
      ring.tryAgain(key);
      isAnyGood = true;
    }
    return isAnyGood;
  };

  const repeated = createRepeated({
    clock,
    everyMs: CHECK_EVERY_MS,
    work: () => askAbout(ring.takeProbes(clock.monotonic())),
    onError: (error) => deps.log.warn("keys set aside could not be asked about", { error: errorText(error) }),
  });

  return {
    usable,
    get aside() {
      return ring.aside;
    },
    async refused(key, error, sentAtMs) {
      const keys = deps.keys();
      if (keys.length < 2) return false;
      // Sent with a key that is no longer in force, or with its former text.
      if (!keys.includes(key) || sentAtMs < (renewedAtMs.get(key) ?? Number.NEGATIVE_INFINITY)) return true;
      if (error.kind === "unauthorized" && (await deps.renew(key))) {
        renewedAtMs.set(key, clock.monotonic());
        return true;
      }
      const isNew = !ring.aside.some((one) => one.key === key);
      ring.setAside(key, reasonOf(error), clock.monotonic());
      // One that only fails is better than none.
      if (ring.usable(keys).length === 0) for (const { key: other, because } of ring.aside) if (because === "failing") ring.tryAgain(other);
      if (isNew) await tellAside(key, error);
      return ring.usable(keys).length > 0;
    },
    paid(key, sentAtMs, failedWith = new Map()) {
      failing.delete(key);
      for (const [other, error] of failedWith) if (other !== key) void doubt(other, error);
      if (told.size === 0 && ring.aside.length === 0) return;
      if (ring.paid(key, sentAtMs)) void tellBack(key);
    },
    probe: () => askAbout(ring.aside.map(({ key }) => key)),
    reset() {
      ring.reset();
      renewedAtMs.clear();
      failing.clear();
    },
    async start() {
      const known = await deps.notes.readNote(NOTE);
      for (const key of Array.isArray(known) ? known : []) if (typeof key === "string") told.add(key);
      repeated.start();
    },
    stop: repeated.stop,
  };
}

const reasonOf = ({ kind }: UpstreamError): AsideReason => (kind === "unauthorized" || kind === "billing" ? kind : "failing");

const CURES: Readonly<Record<AsideReason, string>> = {
  unauthorized: "Put a valid key into its place in api.keys or into its key_file; a reload takes it over.",
  billing: "Pay or top up; chirpwatch asks about it once an hour and takes it back by itself.",
  failing: "chirpwatch asks about it every five minutes and takes it back by itself.",
};

const whatOf = (key: string, error: UpstreamError): string =>
  reasonOf(error) === "failing"
    ? `Requests with the key ${key} fail and are answered with another (${error.message})`
    : `The data service refuses the key ${key} (${error.status ?? ""} ${error.message})`;
