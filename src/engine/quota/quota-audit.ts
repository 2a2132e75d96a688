/**
 * Asks the service how many requests each key has left, at the start and every 15 minutes, and
 * compares the answer with the ledger. Learns the limit if the configuration has none, and alerts
 * the operator when the service counts more than the ledger. If there are several replicas, only
 * the leader asks. `quota-monitor.ts` decides what a limit means for polls.
 */
import { boundedWaitMs, MAX_SERVICE_WAIT_MS } from "../../model/asked-wait.ts";
import { isAlarming, evaluateAudit } from "../../budget/audit.ts";
import { isUsableLimit } from "../../budget/spending-limit.ts";
import type { QuotaPeriod } from "../../budget/quota-period.ts";
import { type Backoff, doubling, backoffAfter } from "../../model/backoff.ts";
import type { Cancel } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { AuditReading, Ledger } from "../../model/ledger.ts";
import type { Share } from "../../model/replicas.ts";
import { UpstreamError } from "../../model/upstream.ts";
import type { Ports } from "../../model/ports.ts";
import { oncePerPeriod } from "./quota-alerts.ts";
import type { AuditReadings, KeyReading } from "./audit-readings.ts";

export interface QuotaAuditDeps
  extends Pick<Ports, "notes" | "opsAlerts" | "clock" | "log" | "meter"> {
  /** Holds the answers of the service. */
  readonly readings: AuditReadings;
  readonly ledger: Pick<Ledger, "auditMark" | "auditSpan" | "spentByKey">;
  readonly share: Pick<Share, "isLeading">;
  /** Returns the names of the active keys. */
  readonly keys: () => readonly string[];
  /**
   * Returns a hash that distinguishes two keys that had the same name one after the other, and from
   * which no key can be derived.
   */
  readonly fingerprint: (key: string) => string;
  /**
   * Requests `remaining_requests` from `/key-usage-info`, and resolves to its value unchecked.
   * @throws if there is no answer
   */
  readonly remaining: (key: string) => Promise<unknown>;
  /** Returns for how long the ledger keeps single attempts. */
  readonly retentionMs: () => number;
  /** Called after every check. */
  readonly onChecked: () => Promise<void>;
}

const CHECK_EVERY_MS = 900_000;
/** The shortest time between two checks while the quota is spent. */
const CHECK_SPENT_EVERY_MS = 60_000;
/** The time after which a replica that does not lead reads again what the leader learned. */
const READ_EVERY_MS = 60_000;
/**
 * The waits after a check without an answer. They double up to the usual interval. If the service
 * asks for a longer wait, that one is used.
 */
const RETRIES: Backoff = { stepsMs: doubling(60_000, CHECK_EVERY_MS) };

/** The service may count a request up to this long after it has answered it. */
const COUNTING_DELAY_MS = 10_000;
/**
 * The wait after the end of a period before the next check. The service's clock may be a little
 * slow, and the requests that it reports as left in the old period are not the limit of the new
 * one.
 */
const TURN_MS = 60_000;

export class QuotaAudit {
  readonly #deps: QuotaAuditDeps;
  #cancel: Cancel | undefined;
  #isStopped = false;
  #failures = 0;
  /** The fingerprints of keys that this replica asked about while it did not lead. */
  readonly #asked = new Set<string>();
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: QuotaAuditDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    await this.#deps.readings.load(this.#deps.notes);
    void this.check();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /**
   * Called when a request is held because the quota is spent. Checks at most once a minute, because
   * somebody may have bought more requests.
   */
  spent(): void {
    if (
      this.#failures === 0 &&
      this.#deps.clock.monotonic() - this.#checkedAtMs >= CHECK_SPENT_EVERY_MS
    )
      void this.check();
  }

  /**
   * Asks the service about every key. Without a usable answer, a limit stays as it was. A replica
   * that does not lead reads what the leader learned. Never rejects.
   */
  async check(): Promise<void> {
    const { readings, share, clock, notes, log, onChecked } = this.#deps;
    this.#checkedAtMs = clock.monotonic();
    if (!share.isLeading()) {
      await readings.load(notes).catch(() => undefined);
      await this.#askAboutOwnKeys();
      return this.#arm(READ_EVERY_MS);
    }
    const { isComplete, askedWaitMs } = await this.#checkKeys();
    // The daemon was stopped before the answer came, so the state is closed by now.
    if (this.#isStopped) return;
    await readings.save(notes).catch(() => undefined);
    await onChecked().catch((error: unknown) =>
      log.warn("quota could not be computed", { error: errorText(error) }),
    );
    this.#failures = isComplete ? 0 : this.#failures + 1;
    this.#arm(
      isComplete ? CHECK_EVERY_MS : Math.max(askedWaitMs, backoffAfter(RETRIES, this.#failures)),
    );
  }

  /**
   * Asks the service once about each key that only this replica has, because its key file differs
   * from the leader's. If the service refuses the key, the code that sends the request handles
   * that.
   */
  async #askAboutOwnKeys(): Promise<void> {
    const { keys, fingerprint, readings, remaining, log } = this.#deps;
    for (const key of keys()) {
      const own = fingerprint(key);
      if (readings.of(key)?.fingerprint === own || this.#asked.has(own)) continue;
      this.#asked.add(own);
      await remaining(key).catch((error: unknown) =>
        log.warn("key usage is unknown", { key, error: errorText(error) }),
      );
    }
  }

  /**
   * Checks all keys. `askedWaitMs` is the longest wait that the service asked for; 0 if it asked
   * for none.
   */
  async #checkKeys(): Promise<{ readonly isComplete: boolean; readonly askedWaitMs: number }> {
    const { keys, log } = this.#deps;
    let isComplete = true;
    let askedWaitMs = 0;
    for (const key of keys()) {
      try {
        isComplete = (await this.#checkKey(key)) && isComplete;
      } catch (error) {
        if (this.#isStopped) break;
        isComplete = false;
        if (error instanceof UpstreamError && typeof error.retry === "object")
          askedWaitMs = Math.max(
            askedWaitMs,
            boundedWaitMs(error.retry.afterMs, MAX_SERVICE_WAIT_MS),
          );
        log.warn("key usage is unknown", { key, error: errorText(error) });
      }
    }
    return { isComplete, askedWaitMs };
  }

  /** Checks one key. Resolves to false if the service gave no usable figure. */
  async #checkKey(key: string): Promise<boolean> {
    const { readings, ledger, clock, remaining: askRemaining, fingerprint } = this.#deps;
    const period = readings.period();
    const spent = (await ledger.spentByKey(period.startMs)).get(key) ?? 0;
    const askedAtMs = clock.now();
    const asked = await ledger.auditMark(key, askedAtMs, COUNTING_DELAY_MS);
    const remaining = await askRemaining(key);
    if (!isUsableLimit(remaining)) return false;
    const answered = await ledger.auditMark(key, clock.now(), COUNTING_DELAY_MS);
    const now = {
      ...asked,
      answeredId: answered.lastId,
      remaining,
      askedAtMs,
      periodId: period.id,
      fingerprint: fingerprint(key),
    };
    // The service may have counted attempts under way, and `spent` includes them too. They are
    // subtracted, because the limit would be too high otherwise.
    const limit = Math.floor(remaining + spent - asked.open);
    if ((await this.#compare(key, now, limit)) === "drift")
      await this.#alertDrift(key, spent, period);
    return true;
  }

  /** Compares the new answer about a key with the previous one, and stores the result. */
  async #compare(
    key: string,
    now: Omit<KeyReading, "drift" | "limit">,
    learned: number,
  ): Promise<"drift" | "expected"> {
    const before = this.#deps.readings.of(key);
    if (
      before === undefined ||
      before.periodId !== now.periodId ||
      !isComparable(before, now, this.#deps.retentionMs())
    ) {
      this.#keep(key, { ...now, drift: 0, limit: learned });
      return "expected";
    }
    const verdict = evaluateAudit(
      before.remaining,
      now.remaining,
      await this.#deps.ledger.auditSpan(key, before, now),
    );
    if (verdict.kind === "stands_still") return "expected";
    const drift = before.drift + (verdict.kind === "drift" ? verdict.requests : 0);
    this.#keep(key, {
      ...now,
      drift,
      limit: verdict.kind === "agrees" ? Math.max(before.limit, learned) : learned,
    });
    return verdict.kind === "drift" ? "drift" : "expected";
  }

  #keep(key: string, reading: KeyReading): void {
    this.#deps.readings.set(key, reading);
    this.#deps.meter.set("chirpwatch_quota_drift_requests", reading.drift, { key });
  }

  async #alertDrift(key: string, spent: number, period: QuotaPeriod): Promise<void> {
    const { readings, opsAlerts } = this.#deps;
    const drift = readings.of(key)?.drift ?? 0;
    if (!isAlarming(drift, spent)) return;
    const [more, hint] =
      drift > 0
        ? [
            "more",
            "Something else uses up the quota of this key: give it its own key, or lower api.quota.monthly.",
          ]
        : ["fewer", "The quota may last longer than chirpwatch expects."];
    await opsAlerts.raise({
      once: oncePerPeriod(`quota.drift:${key}`, period),
      type: "quota.drift",
      subject: "quota",
      severity: "warning",
      message: `The data service counted ${Math.abs(drift)} requests ${more} of the key ${key} than chirpwatch sent this period.`,
      hint,
      facts: { key, drift },
    });
  }

  /**
   * Schedules the next check, at the latest shortly after the end of the period, when another limit
   * may apply.
   */
  #arm(inMs: number): void {
    this.#cancel?.();
    if (this.#isStopped) return;
    const { clock, readings } = this.#deps;
    const untilTurnedMs = Math.max(0, readings.period().endMs - clock.now()) + TURN_MS;
    this.#cancel = clock.after(Math.min(inMs, untilTurnedMs), () => void this.check());
  }
}

/**
 * Whether two readings can be compared. They cannot if the ledger has dropped the attempts between
 * them, or if the name belongs to a different key now.
 */
const isComparable = (
  before: KeyReading,
  now: AuditReading & Pick<KeyReading, "askedAtMs" | "fingerprint">,
  retentionMs: number,
): boolean =>
  (before.fingerprint ?? now.fingerprint) === now.fingerprint &&
  before.answeredId <= now.lastId &&
  before.askedAtMs >= now.askedAtMs - retentionMs;
