/** What the month allows, what was spent, and how much slower polls go while it is short. */
import { isUsableLimit, quotaLine } from "../budget/quota-line.ts";
import { type QuotaPeriod, quotaPeriod } from "../budget/quota-period.ts";
import { forecastRequests, type StretchFactors, stretchFactors } from "../budget/stretch.ts";
import { type Cancel, type Clock, isoTime } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import type { Ledger, Notes } from "../model/store.ts";
import type { Poll } from "./watch-poll.ts";
import type { Timetable } from "../schedule/timetable.ts";
import type { Notices } from "./notices.ts";

export interface QuotaSettings {
  readonly monthly: number | undefined;
  readonly reserve: number;
  readonly resetDay: number;
  readonly timezone: string;
  readonly onExhausted: "degrade" | "pause";
}

export interface QuotaStatus {
  /** Requests of the period; undefined while nobody knows. */
  readonly limit: number | undefined;
  readonly spent: number;
  readonly forecast: number;
  readonly period: QuotaPeriod;
  readonly spentByWatch: ReadonlyMap<string, number>;
  readonly factors: StretchFactors;
}

export interface QuotaWatch {
  /** Takes `remaining_requests` of /key-usage-info: the limit where the configuration names none. Odd values are ignored. */
  learnRemaining(remaining: unknown): Promise<void>;
  /** Reads the ledger and sets the pace. */
  refresh(polls: readonly Poll[]): Promise<void>;
  readonly limit: number | undefined;
  readonly status: QuotaStatus;
  start(): void;
  stop(): void;
}

export interface QuotaWatchDeps {
  readonly ledger: Pick<Ledger, "spentSince">;
  readonly clock: Clock;
  readonly timetable: Timetable;
  readonly meter: Meter;
  readonly log: Log;
  readonly notices: Notices;
  /** What was told of which period, so that a restart does not tell it again. */
  readonly notes: Notes;
  readonly settings: () => QuotaSettings;
  readonly polls: () => readonly Poll[];
}

/** The first share of a month's requests goes out as the schedules say: only low priority is stretched before that is spent. */
const HEAD_START = 0.05;
const hasHeadStart = (spent: number, limit: number | undefined): boolean => limit !== undefined && spent < limit * HEAD_START;
const REFRESH_EVERY_MS = 60_000;
const EVEN: StretchFactors = { high: 1, normal: 1, low: 1 };

export function createQuotaWatch(deps: QuotaWatchDeps): QuotaWatch {
  const { clock } = deps;
  let learnedLimit: number | undefined;
  let cancel: Cancel | undefined;
  let isStopped = false;
  const limitNow = () => deps.settings().monthly ?? learnedLimit;
  let status: QuotaStatus = {
    limit: undefined,
    spent: 0,
    forecast: 0,
    period: quotaPeriod(clock.now(), deps.settings()),
    spentByWatch: new Map(),
    factors: EVEN,
  };

  const refresh = async (polls: readonly Poll[]): Promise<void> => {
    const settings = deps.settings();
    const nowMs = clock.now();
    const period = quotaPeriod(nowMs, settings);
    const { total, lines } = await deps.ledger.spentSince(period.startMs);
    const spentByWatch = new Map<string, number>();
    for (const { watch, requests } of lines) spentByWatch.set(watch, (spentByWatch.get(watch) ?? 0) + requests);
    const paces = polls.map((poll) => ({
      priority: poll.priority,
      requestsPerDay: deps.timetable.pollsPerDay(poll.schedule, nowMs) * poll.costRequests,
    }));
    const limit = limitNow();
    const query = {
      spent: total,
      limit,
      reserve: settings.reserve,
      nowMs,
      periodEndMs: period.endMs,
      onExhausted: settings.onExhausted,
      polls: paces,
    };
    const wanted = stretchFactors(query);
    const factors = hasHeadStart(total, limit) ? { ...EVEN, low: wanted.low } : wanted;
    const perDay = paces.reduce((sum, { requestsPerDay }) => sum + requestsPerDay, 0);
    status = { limit, spent: total, forecast: total + forecastRequests(perDay, nowMs, period.endMs), period, spentByWatch, factors };
    deps.meter.set("chirpwatch_quota_spent", total);
    if (limit !== undefined) deps.meter.set("chirpwatch_quota_limit", limit);
    await tellWhenShort(period.id, polls);
    await tellWhenSpent(period);
  };

  /** False once a period; from then on true. */
  const wasTold = async (note: string, periodId: string): Promise<boolean> => {
    if ((await deps.notes.readNote(note)) === periodId) return true;
    await deps.notes.writeNote(note, periodId);
    return false;
  };

  const tellWhenSpent = async ({ id, endMs }: QuotaPeriod): Promise<void> => {
    const { limit = 0, spent } = status;
    const line = quotaLine({ monthly: status.limit, reserve: deps.settings().reserve, purpose: "poll" });
    if (line === undefined || spent < line || (await wasTold("quota.spent", id))) return;
    await deps.notices.tell({
      type: "quota.low",
      subject: "quota",
      severity: "critical",
      message: `The quota is spent: ${spent} of ${limit} requests. Polling stops until ${isoTime(endMs)}.`,
      hint: "Raise the quota or api.quota.monthly; what is missed until then is read when polling goes on.",
      facts: { spent, limit },
    });
  };

  const tellWhenShort = async (periodId: string, polls: readonly Poll[]) => {
    const { limit, spent, forecast, factors } = status;
    if (limit === undefined || forecast <= limit || (await wasTold("quota.short", periodId))) return;
    const dearest = [...new Set(byCost(polls).flatMap(({ subscribers }) => subscribers.map(({ watch }) => watch.id)))];
    const slowed = Object.entries(factors).filter(([, factor]) => factor > 1);
    const now = slowed.length === 0 ? "" : `, now ${slowed.map(([priority, factor]) => `${priority} ×${factor.toFixed(1)}`).join(", ")}`;
    const effect = deps.settings().onExhausted === "pause" ? "polling stops at the line" : `polls are stretched, low priority first${now}`;
    const message = `The plan wants ${Math.round(forecast)} requests this period and the quota is ${limit}: ${effect}. Dearest: ${dearest.slice(0, 5).join(", ")}.`;
    await deps.notices.tell({
      type: "quota.low",
      subject: "quota",
      severity: "warning",
      message,
      hint: "Slow a schedule down or raise the quota; chirpwatch plan shows what each watch costs.",
      facts: { spent, limit },
    });
  };

  const byCost = (polls: readonly Poll[]): readonly Poll[] =>
    polls
      .map((poll) => ({ poll, perDay: deps.timetable.pollsPerDay(poll.schedule, clock.now()) * poll.costRequests }))
      .sort((a, b) => b.perDay - a.perDay)
      .map(({ poll }) => poll);

  const arm = () => {
    cancel = clock.after(REFRESH_EVERY_MS, () => {
      refresh(deps.polls())
        .catch((error: unknown) => deps.log.warn("quota could not be computed", { error }))
        .finally(() => {
          if (!isStopped) arm();
        });
    });
  };

  return {
    async learnRemaining(remaining) {
      if (!isUsableLimit(remaining)) return;
      const { total } = await deps.ledger.spentSince(quotaPeriod(clock.now(), deps.settings()).startMs);
      learnedLimit = total + remaining;
      await refresh(deps.polls());
    },
    refresh,
    get limit() {
      return limitNow();
    },
    get status() {
      return status;
    },
    start: arm,
    stop() {
      isStopped = true;
      cancel?.();
    },
  };
}
