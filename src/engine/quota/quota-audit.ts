/**
 * Asks the service at the start and every 15 minutes what each key has left, and compares it with the ledger: learns the limit where the
 * configuration names none, and raises the alarm when the service counts more than the ledger does. What to do about a limit is
 * quota-watch.ts's.
 */
import { isAlarming, judgeAudit } from "../../budget/audit.ts";
import { isUsableLimit } from "../../budget/quota-line.ts";
import type { QuotaPeriod } from "../../budget/quota-period.ts";
import type { Cancel, Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import type { AuditReading, Ledger } from "../../model/ledger.ts";
import type { Notes } from "../../model/store.ts";
import { UpstreamError } from "../../model/upstream.ts";
import type { Notices } from "../../model/notices.ts";
import { wasToldOf } from "./told-periods.ts";

export interface QuotaAudit {
  /** Asks about every key; an odd answer or none leaves what was known. Never rejects. */
  check(): Promise<void>;
  /** Told when a request is held because the quota is spent: somebody may have paid for more since the last check. */
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
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** Names of the keys in force. */
  readonly keys: () => readonly string[];
  /** Tells two keys apart that had the same name one after the other, and gives nothing away. */
  readonly fingerprint: (key: string) => string;
  /** `remaining_requests` of /key-usage-info, whatever it is. @throws when there is no answer. */
  readonly remaining: (key: string) => Promise<unknown>;
  readonly period: () => QuotaPeriod;
  /** How far back the ledger can be read attempt by attempt. */
  readonly retentionMs: () => number;
  /** Told after every check. */
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
const BOOKING_MS = 10_000;
/** The service's clock may be a little behind: what it has left of the old period is not the limit of the new one. */
const TURN_MS = 60_000;
const NOTE = "quota.audit";

export function createQuotaAudit(deps: QuotaAuditDeps): QuotaAudit {
  const { clock, ledger } = deps;
  const readings = new Map<string, Reading>();
  let cancel: Cancel | undefined;
  let isStopped = false;
  let failures = 0;
  let checkedAtMs = Number.NEGATIVE_INFINITY;

  /** False when the service gave no usable figure. */
  const checkKey = async (key: string): Promise<boolean> => {
    const period = deps.period();
    const { lines } = await ledger.spentSince(period.startMs);
    const spent = lines.filter((line) => line.key === key).reduce((sum, { requests }) => sum + requests, 0);
    const askedAtMs = clock.now();
    const asked = await ledger.auditMark(key, askedAtMs, BOOKING_MS);
    const remaining = await deps.remaining(key);
    if (!isUsableLimit(remaining)) return false;
    const answered = await ledger.auditMark(key, clock.now(), BOOKING_MS);
    const fingerprint = deps.fingerprint(key);
    const now = { ...asked, answeredId: answered.lastId, remaining, askedAtMs, periodId: period.id, fingerprint };
    // What is under way may be in both figures: the line must not be too high by it.
    const learned = Math.floor(remaining + spent - asked.open);
    const before = readings.get(key);
    if (before === undefined || before.periodId !== period.id || !isComparable(before, now)) {
      keep(key, { ...now, drift: 0, limit: learned });
      return true;
    }
    const verdict = judgeAudit(before.remaining, remaining, await ledger.auditSpan(key, before, now));
    if (verdict.kind === "stands_still") return true;
    if (verdict.kind === "restarted") keep(key, { ...now, drift: before.drift, limit: learned });
    if (verdict.kind === "agrees") keep(key, { ...now, drift: before.drift, limit: Math.max(before.limit, learned) });
    if (verdict.kind === "drift") {
      keep(key, { ...now, drift: before.drift + verdict.requests, limit: learned });
      await tellDrift(key, spent, period);
    }
    return true;
  };

  /** Not where the ledger has forgotten what was between them, nor where another key has the name now. */
  const isComparable = (before: Reading, now: AuditReading & Pick<Reading, "askedAtMs" | "fingerprint">): boolean =>
    (before.fingerprint ?? now.fingerprint) === now.fingerprint &&
    before.answeredId <= now.lastId &&
    before.askedAtMs >= now.askedAtMs - deps.retentionMs();

  const keep = (key: string, reading: Reading) => {
    readings.set(key, reading);
    deps.meter.set("chirpwatch_quota_drift_requests", reading.drift, { key });
  };

  const tellDrift = async (key: string, spent: number, period: QuotaPeriod): Promise<void> => {
    const drift = readings.get(key)?.drift ?? 0;
    if (!isAlarming(drift, spent) || (await wasToldOf(period.id, `quota.drift:${key}`, deps.notes))) return;
    const [more, hint] =
      drift > 0
        ? ["more", "Something else spends this key's quota: give it a key of its own, or lower api.quota.monthly."]
        : ["fewer", "The quota may last longer than chirpwatch reckons with."];
    await deps.notices.tell({
      type: "quota.drift",
      subject: "quota",
      severity: "warning",
      message: `The data service counted ${Math.abs(drift)} requests ${more} of the key ${key} than chirpwatch sent this period.`,
      hint,
      facts: { key, drift },
    });
  };

  const check = async (): Promise<void> => {
    checkedAtMs = clock.monotonic();
    let isComplete = true;
    let askedWaitMs = 0;
    for (const key of deps.keys()) {
      try {
        isComplete = (await checkKey(key)) && isComplete;
      } catch (error) {
        if (isStopped) return;
        isComplete = false;
        if (error instanceof UpstreamError && typeof error.retry === "object") askedWaitMs = Math.max(askedWaitMs, error.retry.afterMs);
        deps.log.warn("key usage is unknown", { key, error: errorText(error) });
      }
    }
    // Answered after the stop: the state is closed, and nobody listens.
    if (isStopped) return;
    const kept: JsonObject = Object.fromEntries([...readings].map(([key, reading]) => [key, { ...reading }]));
    await deps.notes.writeNote(NOTE, kept).catch(() => undefined);
    await deps.onChecked().catch((error: unknown) => deps.log.warn("quota could not be computed", { error: errorText(error) }));
    failures = isComplete ? 0 : failures + 1;
    arm(isComplete ? CHECK_EVERY_MS : Math.max(askedWaitMs, Math.min(RETRY_MS * 2 ** (failures - 1), CHECK_EVERY_MS)));
  };

  /** At the latest when the period has ended: another limit may hold from then on. */
  const arm = (inMs: number) => {
    cancel?.();
    if (isStopped) return;
    const untilTurnedMs = Math.max(0, deps.period().endMs - clock.now()) + TURN_MS;
    cancel = clock.after(Math.min(inMs, untilTurnedMs), () => void check());
  };

  return {
    check,
    spent() {
      if (failures === 0 && clock.monotonic() - checkedAtMs >= CHECK_SPENT_EVERY_MS) void check();
    },
    limitOf(key) {
      const reading = readings.get(key);
      return reading === undefined || reading.periodId !== deps.period().id ? undefined : reading.limit;
    },
    get driftRequests() {
      const { id } = deps.period();
      return [...readings.values()].reduce((sum, reading) => (reading.periodId === id ? sum + reading.drift : sum), 0);
    },
    async start() {
      for (const [key, reading] of await readReadings(deps.notes)) readings.set(key, reading);
      void check();
    },
    stop() {
      isStopped = true;
      cancel?.();
    },
  };
}

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
