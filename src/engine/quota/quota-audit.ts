/**
 * Asks the service at the start and every 15 minutes what each key has left, and compares it with the ledger: learns the limit where the
 * configuration names none, and raises the alarm when the service counts more than the ledger does. What to do about a limit is
 * quota-watch.ts's.
 */
import { isAlarming, evaluateAudit } from "../../budget/audit.ts";
import { isUsableLimit } from "../../budget/spending-limit.ts";
import type { QuotaPeriod } from "../../budget/quota-period.ts";
import type { Cancel, Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import type { AuditReading, Ledger } from "../../model/ledger.ts";
import type { Notes } from "../../model/store.ts";
import { UpstreamError } from "../../model/upstream.ts";
import type { OpsAlerts } from "../../model/ops-alerts.ts";
import { wasAlertedIn } from "./alerted-periods.ts";

export interface QuotaAudit {
  /** Asks about every key; an odd answer or none leaves what was known. Never rejects. */
  check(): Promise<void>;
  /** Called when a request is held because the quota is spent: somebody may have paid for more since the last check. */
  spent(): void;
  /** Requests of this period by what the service said was left; undefined while unknown. */
  limitOf(key: string): number | undefined;
  /** Over all keys and this period: above 0 when the service counted more than the ledger. */
  readonly driftRequests: number;
  start(): Promise<void>;
  stop(): void;
}

export interface QuotaAuditDeps {
  readonly ledger: Pick<Ledger, "auditMark" | "auditSpan" | "spentSince">;
  readonly notes: Notes;
  readonly opsAlerts: OpsAlerts;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** Names of the active keys. */
  readonly keys: () => readonly string[];
  /** Distinguishes two keys that had the same name one after the other, and gives nothing away. */
  readonly fingerprint: (key: string) => string;
  /** `remaining_requests` of /key-usage-info, whatever it is. @throws when there is no answer. */
  readonly remaining: (key: string) => Promise<unknown>;
  readonly period: () => QuotaPeriod;
  /** How far back the ledger can be read attempt by attempt. */
  readonly retentionMs: () => number;
  /** Called after every check. */
  readonly onChecked: () => Promise<void>;
}

/** What the service said of a key, and when. */
interface Reading extends AuditReading {
  readonly remaining: number;
  readonly askedAtMs: number;
  readonly periodId: string;
  /** Absent in what was kept before keys had one. */
  readonly fingerprint?: string;
  /** Sum of this period. */
  readonly drift: number;
  readonly limit: number;
}

const CHECK_EVERY_MS = 900_000;
/** While the quota is spent. */
const CHECK_SPENT_EVERY_MS = 60_000;
/** After a question that was not answered, doubling up to the usual time; longer where the service asks for it. */
const RETRY_MS = 60_000;
/** The service may book an attempt this much later than it answers it. */
const COUNTING_DELAY_MS = 10_000;
/** The service's clock may be a little behind: what it has left of the old period is not the limit of the new one. */
const TURN_MS = 60_000;
const NOTE = "quota.audit";

export const createQuotaAudit = (deps: QuotaAuditDeps): QuotaAudit => new TimedAudit(deps);

class TimedAudit implements QuotaAudit {
  readonly #deps: QuotaAuditDeps;
  readonly #readings = new Map<string, Reading>();
  #cancel: Cancel | undefined;
  #isStopped = false;
  #failures = 0;
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: QuotaAuditDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    for (const [key, reading] of await readReadings(this.#deps.notes)) this.#readings.set(key, reading);
    void this.check();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  spent(): void {
    if (this.#failures === 0 && this.#deps.clock.monotonic() - this.#checkedAtMs >= CHECK_SPENT_EVERY_MS) void this.check();
  }

  limitOf(key: string): number | undefined {
    const reading = this.#readings.get(key);
    return reading === undefined || reading.periodId !== this.#deps.period().id ? undefined : reading.limit;
  }

  get driftRequests(): number {
    const { id } = this.#deps.period();
    return [...this.#readings.values()].reduce((sum, reading) => (reading.periodId === id ? sum + reading.drift : sum), 0);
  }

  async check(): Promise<void> {
    const { clock, notes, log, onChecked } = this.#deps;
    this.#checkedAtMs = clock.monotonic();
    const { isComplete, askedWaitMs } = await this.#checkKeys();
    // Answered after the stop: the state is closed, and nobody listens.
    if (this.#isStopped) return;
    const kept: JsonObject = Object.fromEntries([...this.#readings].map(([key, reading]) => [key, { ...reading }]));
    await notes.writeNote(NOTE, kept).catch(() => undefined);
    await onChecked().catch((error: unknown) => log.warn("quota could not be computed", { error: errorText(error) }));
    this.#failures = isComplete ? 0 : this.#failures + 1;
    const retryMs = Math.min(RETRY_MS * 2 ** (this.#failures - 1), CHECK_EVERY_MS);
    this.#arm(isComplete ? CHECK_EVERY_MS : Math.max(askedWaitMs, retryMs));
  }

  /** `askedWaitMs`: as long as the service wants not to be asked again. */
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
        if (error instanceof UpstreamError && typeof error.retry === "object") askedWaitMs = Math.max(askedWaitMs, error.retry.afterMs);
        log.warn("key usage is unknown", { key, error: errorText(error) });
      }
    }
    return { isComplete, askedWaitMs };
  }

  /** False when the service gave no usable figure. */
  async #checkKey(key: string): Promise<boolean> {
    const { ledger, clock, remaining: askRemaining, fingerprint } = this.#deps;
    const period = this.#deps.period();
    const { lines } = await ledger.spentSince(period.startMs);
    const spent = lines.filter((line) => line.key === key).reduce((sum, { requests }) => sum + requests, 0);
    const askedAtMs = clock.now();
    const asked = await ledger.auditMark(key, askedAtMs, COUNTING_DELAY_MS);
    const remaining = await askRemaining(key);
    if (!isUsableLimit(remaining)) return false;
    const answered = await ledger.auditMark(key, clock.now(), COUNTING_DELAY_MS);
    const now = { ...asked, answeredId: answered.lastId, remaining, askedAtMs, periodId: period.id, fingerprint: fingerprint(key) };
    // What is under way may be in both figures: the limit must not be too high by it.
    const limit = Math.floor(remaining + spent - asked.open);
    if ((await this.#compare(key, now, limit)) === "drift") await this.#alertDrift(key, spent, period);
    return true;
  }

  /** Compares what the service says now with what it said before, and keeps what that teaches. */
  async #compare(key: string, now: Omit<Reading, "drift" | "limit">, learned: number): Promise<"drift" | "expected"> {
    const before = this.#readings.get(key);
    if (before === undefined || before.periodId !== now.periodId || !isComparable(before, now, this.#deps.retentionMs())) {
      this.#keep(key, { ...now, drift: 0, limit: learned });
      return "expected";
    }
    const verdict = evaluateAudit(before.remaining, now.remaining, await this.#deps.ledger.auditSpan(key, before, now));
    if (verdict.kind === "restarted") this.#keep(key, { ...now, drift: before.drift, limit: learned });
    if (verdict.kind === "agrees") this.#keep(key, { ...now, drift: before.drift, limit: Math.max(before.limit, learned) });
    if (verdict.kind !== "drift") return "expected";
    this.#keep(key, { ...now, drift: before.drift + verdict.requests, limit: learned });
    return "drift";
  }

  #keep(key: string, reading: Reading): void {
    this.#readings.set(key, reading);
    this.#deps.meter.set("chirpwatch_quota_drift_requests", reading.drift, { key });
  }

  async #alertDrift(key: string, spent: number, period: QuotaPeriod): Promise<void> {
    const { notes, opsAlerts } = this.#deps;
    const drift = this.#readings.get(key)?.drift ?? 0;
    if (!isAlarming(drift, spent) || (await wasAlertedIn(period.id, `quota.drift:${key}`, notes))) return;
    const [more, hint] =
      drift > 0
        ? ["more", "Something else spends this key's quota: give it a key of its own, or lower api.quota.monthly."]
        : ["fewer", "The quota may last longer than chirpwatch expects."];
    await opsAlerts.raise({
      type: "quota.drift",
      subject: "quota",
      severity: "warning",
      message: `The data service counted ${Math.abs(drift)} requests ${more} of the key ${key} than chirpwatch sent this period.`,
      hint,
      facts: { key, drift },
    });
  }

  /** At the latest when the period has ended: another limit may hold from then on. */
  #arm(inMs: number): void {
    this.#cancel?.();
    if (this.#isStopped) return;
    const { clock, period } = this.#deps;
    const untilTurnedMs = Math.max(0, period().endMs - clock.now()) + TURN_MS;
    this.#cancel = clock.after(Math.min(inMs, untilTurnedMs), () => void this.check());
  }
}

/** Not where the ledger has forgotten what was between them, nor where another key has the name now. */
const isComparable = (before: Reading, now: AuditReading & Pick<Reading, "askedAtMs" | "fingerprint">, retentionMs: number): boolean =>
  (before.fingerprint ?? now.fingerprint) === now.fingerprint &&
  before.answeredId <= now.lastId &&
  before.askedAtMs >= now.askedAtMs - retentionMs;

async function readReadings(notes: Notes): Promise<readonly (readonly [string, Reading])[]> {
  const kept = await notes.readNote(NOTE);
  return Object.entries(isObject(kept) ? kept : {}).flatMap(([key, reading]) => (isReading(reading) ? [[key, reading] as const] : []));
}

/** What the last daemon on this state learned of its keys in this period, by key. */
export async function readAudit(
  notes: Notes,
  periodId: string,
): Promise<ReadonlyMap<string, { readonly limit: number; readonly drift: number }>> {
  return new Map((await readReadings(notes)).filter(([, reading]) => reading.periodId === periodId));
}

const isObject = (value: Json | null | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const FIGURES = ["remaining", "askedAtMs", "lastId", "answeredId", "open", "drift", "limit"] as const;
const isReading = (value: Json | undefined): value is Json & Reading =>
  isObject(value) && typeof value["periodId"] === "string" && FIGURES.every((name) => typeof value[name] === "number");
