/**
 * Converts between the local time of an IANA time zone and epoch milliseconds, at minute and day
 * precision. Handles local times that clock changes skip or repeat.
 */

export interface Zone {
  /** Returns the local calendar day of `epochMs`, in days since 1970-01-01. */
  localDay(epochMs: number): number;
  /**
   * Returns the first instant at which this day's clock shows `minute`, which may be over 1440. If
   * the clock jumps over that minute, returns the instant of the jump.
   */
  firstAt(day: number, minute: number): number;
  /**
   * Returns the last instant at which this day's clock shows `minute`. If the clock is set back,
   * this is the second of two such instants.
   */
  lastAt(day: number, minute: number): number;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/**
 * The number of offsets from UTC that are remembered for a zone, one for each minute for which an
 * offset was requested. Clocks change at whole minutes. Computing an offset takes 5 µs, and finding
 * the end of an interval needs hundreds of them.
 */
const MAX_KNOWN = 10_000;

/**
 * Whether the runtime knows this time zone. The default UTC is accepted without loading the data of
 * time zones.
 */
export function isTimezone(name: string): boolean {
  if (name === "UTC") return true;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/**
 * Creates the zone.
 * @throws RangeError if the time zone is unknown
 */
export function createZone(name: string): Zone {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const readOffset = (epochMs: number): number => {
    const part = Object.fromEntries(
      format.formatToParts(epochMs).map(({ type, value }) => [type, Number(value)]),
    );
    const wall = Date.UTC(
      part["year"] ?? 0,
      (part["month"] ?? 1) - 1,
      part["day"],
      part["hour"],
      part["minute"],
      part["second"],
    );
    return wall - epochMs;
  };
  const known = new Map<number, number>();
  const offsetAt = (epochMs: number): number => {
    const minute = Math.floor(epochMs / MINUTE_MS);
    const offset = known.get(minute) ?? readOffset(minute * MINUTE_MS);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(minute, offset);
    return offset;
  };
  const instants = (day: number, minute: number): readonly number[] => {
    const wall = day * DAY_MS + minute * MINUTE_MS;
    // Zones are at most 14 hours from UTC and change at most once within these two days.
    const offsets = [offsetAt(wall - DAY_MS), offsetAt(wall + DAY_MS)];
    const found = offsets
      .map((offset) => wall - offset)
      .filter((instant) => offsetAt(instant) === wall - instant);
    return found.length > 0
      ? found
      : [firstChange(offsetAt, wall - Math.max(...offsets), wall - Math.min(...offsets))];
  };
  return {
    localDay: (epochMs) => Math.floor((epochMs + offsetAt(epochMs)) / DAY_MS),
    firstAt: (day, minute) => Math.min(...instants(day, minute)),
    lastAt: (day, minute) => Math.max(...instants(day, minute)),
  };
}

/**
 * Finds the instant at which the clock was changed, between two instants with different offsets.
 */
function firstChange(
  offsetAt: (epochMs: number) => number,
  beforeMs: number,
  afterMs: number,
): number {
  let low = beforeMs;
  let high = afterMs;
  const start = offsetAt(low);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === start) low = middle;
    else high = middle;
  }
  return high;
}
