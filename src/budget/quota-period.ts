/** Computes the billing month of a moment, in the time zone of the reset day. Counts nothing. */

export interface QuotaPeriod {
  readonly startMs: number;
  /** The start of the next period. Periods neither overlap nor leave a gap. */
  readonly endMs: number;
  /**
   * The local date of the start, `2026-02-28`, which is the same for every moment of the period.
   */
  readonly id: string;
}

export interface QuotaCalendar {
  /** 1 to 31. Shorter months reset on their last day. */
  readonly resetDay: number;
  /** The IANA name, checked when the configuration was read. */
  readonly timezone: string;
}

const DAY_MS = 86_400_000;

/** Returns the period of `nowMs`. It starts at the first instant of its reset day in the zone. */
export function quotaPeriod(nowMs: number, calendar: QuotaCalendar): QuotaPeriod {
  const local = new Date(wallTime(nowMs, calendar.timezone));
  const months = local.getUTCFullYear() * 12 + local.getUTCMonth();
  const thisMonthMs = resetInstant(months, calendar);
  const first = nowMs >= thisMonthMs ? months : months - 1;
  const startMs = first === months ? thisMonthMs : resetInstant(first, calendar);
  return {
    startMs,
    endMs: resetInstant(first + 1, calendar),
    id: new Date(resetDate(first, calendar.resetDay)).toISOString().slice(0, 10),
  };
}

/** Returns midnight of the reset day as if the zone were UTC. `months` counts from year 0. */
function resetDate(months: number, resetDay: number): number {
  const [year, month] = [Math.floor(months / 12), months % 12];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(resetDay, lastDay));
}

/**
 * Returns the start of a period. If clocks change at night, midnight can be missing or occur twice,
 * so the first instant of the day is used.
 */
function resetInstant(months: number, { resetDay, timezone }: QuotaCalendar): number {
  const wallMs = resetDate(months, resetDay);
  const candidates = [wallMs - DAY_MS, wallMs + DAY_MS].map(
    (nearMs) => wallMs - (wallTime(nearMs, timezone) - nearMs),
  );
  return Math.min(...candidates.filter((atMs) => wallTime(atMs, timezone) >= wallMs));
}

/**
 * Formatters are kept, because creating one costs fifty times as much as using it, and a process
 * has only one or two zones.
 */
const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * Returns the wall time of the zone as the epoch ms of the same digits in UTC, in whole seconds.
 */
function wallTime(atMs: number, timezone: string): number {
  if (timezone === "UTC") return Math.floor(atMs / 1_000) * 1_000;
  let formatter = formatters.get(timezone);
  if (formatter === undefined) {
    const parts = {
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    } as const;
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      hourCycle: "h23",
      ...parts,
    });
    formatters.set(timezone, formatter);
  }
  const read = Object.fromEntries(
    formatter.formatToParts(atMs).map((part) => [part.type, Number(part.value)]),
  );
  return Date.UTC(
    read["year"] ?? 0,
    (read["month"] ?? 1) - 1,
    read["day"] ?? 1,
    read["hour"] ?? 0,
    read["minute"] ?? 0,
    read["second"] ?? 0,
  );
}
