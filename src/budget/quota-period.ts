/** Computes the billing month that contains a moment, in a given time zone. Counts nothing. */

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
  /** The day of the month, 1 to 31. In a shorter month, the last day takes its place. */
  readonly resetDay: number;
  /** The IANA name, checked when the configuration was read. */
  readonly timezone: string;
}

const DAY_MS = 86_400_000;

/**
 * Returns the period that contains `nowMs` (epoch ms). A period starts at the first instant of its
 * reset day in the time zone.
 */
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

/**
 * Returns midnight of the reset day as if the time zone were UTC. `months` counts from January of
 * year 0.
 */
function resetDate(months: number, resetDay: number): number {
  const [year, month] = [Math.floor(months / 12), months % 12];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(resetDay, lastDay));
}

/**
 * Returns the start of a period, in epoch ms. If clocks change at night, midnight can be missing or
 * occur twice, so the first instant of the day is used.
 */
function resetInstant(months: number, { resetDay, timezone }: QuotaCalendar): number {
  const wallMs = resetDate(months, resetDay);
  const candidates = [wallMs - DAY_MS, wallMs + DAY_MS].map(
    (nearMs) => wallMs - (wallTime(nearMs, timezone) - nearMs),
  );
  return Math.min(...candidates.filter((atMs) => wallTime(atMs, timezone) >= wallMs));
}

/**
 * The formatters by time zone. They are kept, because creating one takes fifty times as long as
 * using it, and a process has only one or two time zones.
 */
const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * Returns the local date and time in the time zone, as the epoch ms at which UTC shows the same
 * digits, in whole seconds.
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
