/**
 * Computes how often a cron pattern runs on an average day. Counts the runs of each field
 * separately, because going through 86,400 ticks a day would take seconds.
 */
import { Cron } from "croner";

const YEAR_DAYS = 365;
const DAY_MS = 86_400_000;

/**
 * Returns a function that returns the average number of runs per day over the year after `fromMs`.
 * The computation uses UTC, because another time zone moves the ticks but hardly changes their
 * number. The counts of each field are kept: going through the days of a year takes 2 ms, and a
 * thousand patterns have few different days.
 */
export function createCronRates(): (pattern: string, fromMs: number) => number {
  const counts = new Map<string, number>();
  const count = (pattern: string, fromMs: number, spanMs: number): number => {
    // The same pattern can stand for the seconds of a minute and for the minutes of an hour.
    const key = `${pattern} ${spanMs}`;
    const known = counts.get(key) ?? countRuns(pattern, fromMs, spanMs);
    counts.set(key, known);
    return known;
  };
  return (pattern, fromMs) => {
    const fields = pattern.trim().split(/\s+/);
    const [second = "0", minute, hour, day, month, weekday] =
      fields.length === 5 ? ["0", ...fields] : fields;
    if (weekday === undefined) return averageOfTicks(pattern, fromMs);
    const perMinute = count(`${second} * * * * *`, 0, 60_000);
    const perHour = count(`0 ${minute} * * * *`, 0, 3_600_000);
    const perDay = count(`0 0 ${hour} * * *`, 0, DAY_MS);
    const days = count(`0 0 12 ${day} ${month} ${weekday}`, fromMs, YEAR_DAYS * DAY_MS);
    return (perMinute * perHour * perDay * days) / YEAR_DAYS;
  };
}

function countRuns(pattern: string, fromMs: number, spanMs: number): number {
  const cron = new Cron(pattern, { timezone: "UTC", paused: true });
  let count = 0;
  const endMs = fromMs + spanMs;
  for (
    let run = cron.nextRun(new Date(fromMs - 1));
    run !== null && run.getTime() < endMs;
    run = cron.nextRun(run)
  )
    count += 1;
  return count;
}

/**
 * Returns the runs per day of a nickname such as `@daily`. The ticks of nicknames are evenly
 * spaced, so two dozen of them are enough.
 */
function averageOfTicks(pattern: string, fromMs: number): number {
  const runs = new Cron(pattern, { timezone: "UTC", paused: true }).nextRuns(25, new Date(fromMs));
  const spanMs = (runs.at(-1)?.getTime() ?? 0) - (runs[0]?.getTime() ?? 0);
  return spanMs > 0 ? ((runs.length - 1) * DAY_MS) / spanMs : 0;
}
