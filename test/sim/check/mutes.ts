/**
 * Decides when a named time interval is active, in local time, as the documentation of time
 * intervals says.
 */
import type { Interval, WrittenHours } from "./rules.ts";

const MIN_MS = 60_000;
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

const formatters = new Map<string, Intl.DateTimeFormat>();
/** Caches local times by zone and minute, because the checks ask for most minutes many times. */
const known = new Map<string, LocalTime>();
const MAX_KNOWN = 100_000;

interface LocalTime {
  readonly day: number;
  readonly clock: string;
}

function localTime(atMs: number, timezone: string): LocalTime {
  const key = `${timezone} ${Math.floor(atMs / MIN_MS)}`;
  const time = known.get(key) ?? readLocalTime(atMs, timezone);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, time);
  return time;
}

function readLocalTime(atMs: number, timezone: string): LocalTime {
  const options = {
    weekday: "long",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  } as const;
  const formatter =
    formatters.get(timezone) ??
    new Intl.DateTimeFormat("en-US", { ...options, timeZone: timezone });
  formatters.set(timezone, formatter);
  const parts = Object.fromEntries(
    formatter.formatToParts(atMs).map(({ type, value }) => [type, value]),
  );
  return {
    day: DAYS.indexOf((parts["weekday"] ?? "").toLowerCase()),
    clock: `${parts["hour"]}:${parts["minute"]}`,
  };
}

/** Returns whether a day matches `monday:friday` and the like. */
function isOnDay(weekdays: readonly string[], day: number): boolean {
  if (weekdays.length === 0) return true;
  return weekdays.some((text) => {
    const [from = 0, to = from] = text.split(":").map((name) => DAYS.indexOf(name));
    return from <= to ? day >= from && day <= to : day >= from || day <= to;
  });
}

/**
 * The muted and active hours at a sink. Each key is taken from the route, or from the sink where
 * the route has none.
 */
export interface Hours {
  readonly mutes: readonly Interval[];
  readonly actives: readonly Interval[];
  readonly isDropping: boolean;
}

export const hoursAt = (
  route: WrittenHours | undefined,
  sink: WrittenHours | undefined,
): Hours => ({
  mutes: route?.mutes ?? sink?.mutes ?? [],
  actives: route?.actives ?? sink?.actives ?? [],
  isDropping: (route?.onMute ?? sink?.onMute) === "drop",
});

export const isEverMuted = ({ mutes, actives }: Hours): boolean =>
  mutes.length + actives.length > 0;

export const isMuted = ({ mutes, actives }: Hours, atMs: number): boolean =>
  mutes.some((interval) => holds(interval, atMs)) ||
  (actives.length > 0 && !actives.some((interval) => holds(interval, atMs)));

/**
 * Returns whether an interval is active. A window whose end is not after its start ends on the next
 * day, and belongs to the day on which it starts. Where clocks are set back, a window begins the
 * first time that they show its start, and ends the last time that they show its end.
 */
function holds(interval: Interval, atMs: number): boolean {
  return interval.some(({ times, weekdays, timezone }) => {
    const { day, clock } = localTime(atMs, timezone);
    const yesterday = (day + 6) % 7;
    if (times.length === 0) return isOnDay(weekdays, day);
    const hour = clock.slice(0, 2);
    const isSameClock = (otherMs: number) => localTime(otherMs, timezone).clock === clock;
    const latest = isSameClock(atMs - HOUR_MS) ? `${hour}:59` : clock;
    const earliestToCome = isSameClock(atMs + HOUR_MS) ? `${hour}:00` : clock;
    return times.some(({ start, end }) =>
      end > start
        ? isOnDay(weekdays, day) && latest >= start && earliestToCome < end
        : (isOnDay(weekdays, day) && latest >= start) ||
          (isOnDay(weekdays, yesterday) && earliestToCome < end),
    );
  });
}

const HOUR_MS = 60 * MIN_MS;

const LONGEST_MS = 2 * 24 * 60 * MIN_MS;

/** Returns the first minute that is not muted, or undefined if that is days away. */
export function mutedUntil(hours: Hours, atMs: number): number | undefined {
  for (let ms = Math.floor(atMs / MIN_MS) * MIN_MS + MIN_MS; ms < atMs + LONGEST_MS; ms += MIN_MS)
    if (!isMuted(hours, ms)) return ms;
  return undefined;
}
