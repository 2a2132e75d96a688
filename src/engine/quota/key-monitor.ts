/**
 * Suspends a key that the service refuses, or with which requests fail while they succeed with
 * other keys. Alerts the operator once, asks the service about suspended keys at intervals, and
 * reports when a key works again. If there is only one key, it suspends nothing, and the request
 * gate handles the refusal.
 */
import type { SuspendedKey, SuspensionReason, KeyRing } from "../../budget/key-ring.ts";
import type { Cancel } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { UpstreamError } from "../../model/upstream.ts";
import type { OpsAlert } from "../../model/ops-alerts.ts";
import type { Ports } from "../../model/ports.ts";
import { repeat } from "../health/repeat.ts";
import type { FailedWith } from "../../requests/gate-keys.ts";

/**
 * Sends a free request to `/key-usage-info` with this key. Resolves to true if the key has requests
 * left.
 */
export type AskKey = (key: string) => Promise<boolean>;

export interface KeyMonitorDeps extends Pick<Ports, "opsAlerts" | "clock" | "log" | "meter"> {
  readonly ring: KeyRing;
  /** Returns the names of the active keys. */
  readonly keys: () => readonly string[];
  /** Reads the file of a key again. Resolves to true if the file holds a different key now. */
  readonly renew: (key: string) => Promise<boolean>;
}

const CHECK_EVERY_MS = 60_000;
/**
 * How long an alert counts as seen by a replica: three checks. A replica that still suspends a key
 * raises the alert again at every check, so that another replica, for which the key works, does not
 * clear it.
 */
const SEEN_FOR_MS = 3 * CHECK_EVERY_MS;
const CONDITION = "key.refused:";
/**
 * A key is suspended after this many requests in a row failed with it and succeeded with another
 * key, if the first and the last of them are at least `FAILING_MS` apart.
 */
const FAILURES = 3;
const FAILING_MS = 60_000;

export class KeyMonitor {
  readonly #deps: KeyMonitorDeps;
  #stopChecks: Cancel | undefined;
  readonly #renewedAtMs = new Map<string, number>();
  /** The alert of each key, as it was raised when the key was last suspended. */
  readonly #alerts = new Map<string, OpsAlert>();
  /**
   * How many requests failed with a key and were answered with another one since the key last
   * worked.
   */
  readonly #failing = new Map<string, { readonly sinceMs: number; readonly requests: number }>();

  constructor(deps: KeyMonitorDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the keys that may be used now. If all are suspended, returns all of them, so that the
   * service itself refuses the request.
   */
  usable(): readonly string[] {
    const keys = this.#deps.keys();
    const good = this.#deps.ring.usable(keys);
    return good.length === 0 ? keys : good;
  }

  get suspended(): readonly SuspendedKey[] {
    return this.#deps.ring.suspended;
  }

  async refused(key: string, error: UpstreamError, sentAtMs: number): Promise<boolean> {
    const { ring, clock, renew } = this.#deps;
    const keys = this.#deps.keys();
    if (keys.length < 2) return false;
    // The key is no longer active, or its value was replaced after the request was sent. Then the
    // refusal says nothing about the keys now.
    if (!keys.includes(key) || sentAtMs < (this.#renewedAtMs.get(key) ?? Number.NEGATIVE_INFINITY))
      return true;
    if (error.kind === "unauthorized" && (await renew(key))) {
      this.#renewedAtMs.set(key, clock.monotonic());
      return true;
    }
    const isNew = !ring.suspended.some((one) => one.key === key);
    ring.suspend(key, reasonOf(error), clock.monotonic());
    // A key that fails is better than no key. So if no key is usable, those suspended for failures
    // are tried again.
    if (ring.usable(keys).length === 0)
      for (const { key: other, because } of ring.suspended)
        if (because === "failing") ring.tryAgain(other);
    if (isNew) await this.#alertSuspended(key, error);
    return ring.usable(keys).length > 0;
  }

  paid(key: string, sentAtMs: number, failedWith: FailedWith = new Map()): void {
    const { ring, opsAlerts } = this.#deps;
    this.#failing.delete(key);
    for (const [other, error] of failedWith) if (other !== key) void this.#doubt(other, error);
    if (opsAlerts.lasting(CONDITION).size === 0 && ring.suspended.length === 0) return;
    if (ring.paid(key, sentAtMs)) void this.#alertRecovered(key);
  }

  /** Puts a key on trial, because the service accepts it again on another replica. */
  accepted(key: string): void {
    this.#deps.ring.tryAgain(key);
  }

  /**
   * Asks the service about the suspended keys. Resolves to true if one of them may be used again.
   */
  probe(ask: AskKey): Promise<boolean> {
    return this.#askAbout(
      this.#deps.ring.suspended.map(({ key }) => key),
      ask,
    );
  }

  /** Forgets all suspensions, because the active keys have changed. */
  reset(): void {
    this.#deps.ring.reset();
    this.#renewedAtMs.clear();
    this.#failing.clear();
  }

  /** Starts to ask about suspended keys at intervals. */
  async start(ask: AskKey): Promise<void> {
    const { clock, log, opsAlerts } = this.#deps;
    const onError = (error: unknown) =>
      log.warn("suspended keys could not be tried", { error: errorText(error) });
    this.#stopChecks = repeat({
      clock,
      everyMs: CHECK_EVERY_MS,
      work: () => this.#check(ask),
      onError,
    });
    await opsAlerts.load();
  }

  stop(): void {
    this.#stopChecks?.();
  }

  /**
   * Counts a request that failed with this key and was answered with another one. Suspends the key
   * after `FAILURES` of them.
   */
  async #doubt(key: string, error: UpstreamError): Promise<void> {
    const { ring, clock, keys } = this.#deps;
    const nowMs = clock.monotonic();
    const { sinceMs, requests } = this.#failing.get(key) ?? { sinceMs: nowMs, requests: 0 };
    this.#failing.set(key, { sinceMs, requests: requests + 1 });
    if (
      requests + 1 < FAILURES ||
      nowMs - sinceMs < FAILING_MS ||
      !ring.usable(keys()).includes(key)
    )
      return;
    this.#failing.delete(key);
    ring.suspend(key, "failing", nowMs);
    await this.#alertSuspended(key, error);
  }

  /**
   * Asks the service about suspended keys that are due, and raises the alert again for each key
   * that stays suspended.
   */
  async #check(ask: AskKey): Promise<void> {
    const { ring, clock, keys, opsAlerts } = this.#deps;
    await this.#askAbout(ring.claimProbes(clock.monotonic()), ask);
    const usable = ring.usable(keys());
    for (const [key, alert] of this.#alerts)
      if (keys().includes(key) && !usable.includes(key)) await opsAlerts.raise(alert);
  }

  async #askAbout(keys: readonly string[], ask: AskKey): Promise<boolean> {
    const { ring } = this.#deps;
    let isAnyGood = false;
    for (const key of keys) {
      if (!(await ask(key))) continue;
      ring.tryAgain(key);
      isAnyGood = true;
    }
    return isAnyGood;
  }

  async #alertSuspended(key: string, error: UpstreamError): Promise<void> {
    const { meter, opsAlerts, ring, keys } = this.#deps;
    meter.set("chirpwatch_key_up", 0, { key });
    const others = ring.usable(keys()).length;
    const rest =
      others === 0
        ? "no other key is left"
        : others === 1
          ? "1 other key continues"
          : `${others} other keys continue`;
    const alert: OpsAlert = {
      once: { key: `${CONDITION}${key}`, seenForMs: SEEN_FOR_MS },
      type: "key.refused",
      subject: key,
      severity: "warning",
      message: `${whatOf(key, error)}: it is suspended, ${rest}.`,
      hint: CURES[reasonOf(error)],
      facts: { key },
    };
    this.#alerts.set(key, alert);
    await opsAlerts.raise(alert);
  }

  async #alertRecovered(key: string): Promise<void> {
    const { meter, opsAlerts } = this.#deps;
    meter.set("chirpwatch_key_up", 1, { key });
    await opsAlerts.clear(`${CONDITION}${key}`, {
      type: "key.recovered",
      subject: key,
      severity: "info",
      message: `The data service accepts the key ${key} again.`,
      facts: { key },
    });
  }
}

const reasonOf = ({ kind }: UpstreamError): SuspensionReason =>
  kind === "unauthorized" || kind === "billing" ? kind : "failing";

const CURES: Readonly<Record<SuspensionReason, string>> = {
  unauthorized: "Put a valid key into its place in api.keys or into its key_file; then reload.",
  billing: "Pay or top up: the key is tried once an hour and used again as soon as it works.",
  failing: "The key is tried every five minutes and used again as soon as it works.",
};

const whatOf = (key: string, error: UpstreamError): string =>
  reasonOf(error) === "failing"
    ? `Requests with the key ${key} fail and are answered with another (${error.message})`
    : `The data service refuses the key ${key} (${error.status ?? ""} ${error.message})`;
