/** Reads `schedule`: five or six cron fields, `@every 5m`, or { cron, timezone }. */
import { errorText } from "../../model/errors.ts";
import { parseDuration } from "../../model/duration.ts";
import type { Schedule } from "../../model/schedule.ts";
import type { Timetable } from "../../schedule/timetable.ts";
import { ownValue } from "../../model/own-value.ts";

/**
 * The day on which the shortest interval of a schedule is measured. A fixed day in winter is used
 * everywhere, so that a file does not become invalid when daylight saving time begins or ends.
 */
export const SAMPLE_DAY_MS = Date.UTC(2024, 0, 1);

export type WrittenSchedule =
  | string
  | { readonly cron: string; readonly timezone?: string | undefined };

/** Returns the schedule, or a sentence that says what is wrong with it. */
export function readSchedule(
  written: WrittenSchedule,
  timezone: string,
  timetable: Timetable,
): Schedule | string {
  const text = (typeof written === "string" ? written : written.cron).trim();
  if (text.startsWith("@every"))
    return typeof written === "string"
      ? readEvery(text)
      : `cron: "${text}" is an interval: write schedule: "${text}"`;
  const spoken = spokenInterval(text);
  if (spoken !== undefined) return `"${text}" is a duration: write "@every ${spoken}"`;
  if (/^(hourly|daily|weekly|monthly)$/.test(text))
    return `"${text}" is not a cron pattern: write "@${text}"`;
  const schedule = {
    kind: "cron",
    pattern: text.replace(/\s+/g, " "),
    timezone: (typeof written === "string" ? undefined : written.timezone) ?? timezone,
  } as const;
  return cronProblem(schedule, timetable) ?? schedule;
}

function readEvery(text: string): Schedule | string {
  const rest = text.slice("@every".length).trim();
  const intervalMs = parseDuration(rest);
  if (intervalMs === undefined) {
    const spoken = spokenInterval(rest);
    return `"${text}" is not an interval: write ${spoken === undefined ? '"@every 30s", "@every 5m" or "@every 1h30m"' : `"@every ${spoken}"`}`;
  }
  return intervalMs < 1_000
    ? `"${text}" is too fast: "@every 1s" is the fastest`
    : { kind: "every", intervalMs };
}

const UNITS: Readonly<Record<string, string>> = {
  s: "s",
  sec: "s",
  second: "s",
  m: "m",
  min: "m",
  minute: "m",
  h: "h",
  hr: "h",
  hour: "h",
  d: "d",
  day: "d",
};

/**
 * Returns `5m` for "every 5 minutes", "5 min" and the like. Undefined if the text is not an
 * interval in words.
 */
function spokenInterval(text: string): string | undefined {
  const plain = text.replace(/^every\s+/i, "");
  if (parseDuration(plain) !== undefined) return plain;
  const [, count = "1", unit = ""] = /^(?:(\d+)\s*)?([a-z]+?)s?$/i.exec(plain) ?? [];
  const short = ownValue(UNITS, unit.toLowerCase());
  return short === undefined || (plain === text && !/^\d/.test(plain))
    ? undefined
    : `${count}${short}`;
}

function cronProblem(
  schedule: Schedule & { kind: "cron" },
  timetable: Timetable,
): string | undefined {
  const { pattern } = schedule;
  const fields = pattern.startsWith("@") ? 5 : pattern.split(" ").length;
  if (fields !== 5 && fields !== 6)
    return `"${pattern}" has ${fields} field${fields === 1 ? "" : "s"}: cron takes five (minute hour day month weekday) or six (with seconds first)`;
  try {
    if (Number.isFinite(timetable.nextDue(schedule, SAMPLE_DAY_MS))) return undefined;
    return `"${pattern}" never runs: no such day exists`;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return `"${pattern}" is not a cron pattern: ${errorText(cause ?? error).replace(/^CronPattern: /, "")}`;
  }
}
