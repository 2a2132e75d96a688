/**
 * Reads and checks a query for past events, whose text comes from an address or from a command's
 * options.
 */
import type { ReportQuery } from "../../model/report.ts";
import { parseAccount } from "../../model/account.ts";
import { parseDuration } from "../../model/duration.ts";
import { DELIVERY_STATES, type DeliveryOutcome, type EventQuery } from "../../model/history.ts";

/** The values by name, as they were written. An empty value counts as absent. */
export type EventQueryText = Readonly<
  Partial<
    Record<
      | "since"
      | "until"
      | "watch"
      | "alerts"
      | "author"
      | "text"
      | "state"
      | "acknowledged"
      | "limit"
      | "before",
      string
    >
  >
>;

/** The most events in one answer. */
export const MAX_EVENTS = 1_000;
const DEFAULT_EVENTS = 50;

/** Returns the query, or a sentence that says what is wrong with it and what to write instead. */
export function readEventQuery(text: EventQueryText, nowMs: number): EventQuery | string {
  const problems: string[] = [];
  const read = <T>(
    name: keyof EventQueryText,
    parse: (value: string) => T | undefined,
    expected: string,
  ): Partial<Record<string, T>> => {
    const value = text[name]?.trim() ?? "";
    if (value === "") return {};
    const parsed = parse(value);
    if (parsed === undefined)
      problems.push(`${name} must be ${expected}, not "${value.slice(0, 80)}"`);
    return parsed === undefined ? {} : { [name]: parsed };
  };
  const time = (value: string) => parseTime(value, nowMs);
  const { since } = read("since", time, TIMES);
  const { until } = read("until", time, TIMES);
  const { author } = read("author", parseAuthor, "a handle, an id or a profile link");
  const { state } = read("state", parseState, `one of ${DELIVERY_STATES.join(", ")}`);
  const { acknowledged } = read("acknowledged", parseAnswer, "yes or no");
  const { limit } = read("limit", parseLimit, `a whole number from 1 to ${MAX_EVENTS}`);
  const { before } = read(
    "before",
    (value) => (/^\d+$/.test(value) ? value : undefined),
    "the `next` of an answer",
  );
  const { watch } = read("watch", parseNames, "the id of a watch, or several separated by commas");
  const { alerts } = read("alerts", parseFlag, "true or false");
  const { text: words } = read("text", (value) => value, "a word of the text");
  if (problems.length > 0) return problems.join("; ");
  return {
    sinceMs: since,
    untilMs: until,
    watches: watch,
    ...(alerts === true ? { onlyAlerts: true } : {}),
    ...(author === undefined ? {} : { author }),
    ...(words === undefined ? {} : { text: words }),
    ...(state === undefined ? {} : { state }),
    ...(acknowledged === undefined ? {} : { isAcknowledged: acknowledged }),
    ...(before === undefined ? {} : { before }),
    limit: limit ?? DEFAULT_EVENTS,
  };
}

/** Says for people how a time is written. */
export const TIMES = "a time like 2026-07-27T09:00:00Z or 2026-07-27, or how long ago, like 2h";

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Parses a time. A time without a zone is in UTC, like all times that the daemon writes. */
export function parseTime(value: string, nowMs: number): number | undefined {
  const ago = parseDuration(value);
  if (ago !== undefined) return nowMs - ago;
  if (!ISO.test(value)) return undefined;
  const epochMs = Date.parse(
    value.includes("T") && !/(Z|[+-]\d{2}:\d{2})$/.test(value) ? `${value}Z` : value,
  );
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

function parseAuthor(value: string): string | undefined {
  if (/^\d+$/.test(value)) return value;
  const account = parseAccount(value);
  return account?.kind === "id" ? account.id : account?.handle;
}

const parseState = (value: string): DeliveryOutcome | undefined =>
  DELIVERY_STATES.find((state) => state === value.toLowerCase());

const parseNames = (value: string): readonly string[] | undefined => {
  const names = value.split(",").map((name) => name.trim());
  return names.includes("") ? undefined : names;
};

const parseFlag = (value: string): boolean | undefined =>
  value === "true" || value === "false" ? value === "true" : undefined;

const parseAnswer = (value: string): boolean | undefined =>
  value === "yes" || value === "no" ? value === "yes" : undefined;

function parseLimit(value: string): number | undefined {
  const limit = Number(value);
  return Number.isInteger(limit) && limit >= 1 && limit <= MAX_EVENTS ? limit : undefined;
}

/** The period of a report for which no period was asked. */
const DEFAULT_SINCE = "7d";

/** Returns which report is asked for, or a sentence that says what is wrong with the query. */
export function readReportQuery(
  text: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): ReportQuery | string {
  const { name = "", watch = "", since = DEFAULT_SINCE } = text;
  if ((name === "") === (watch === "")) return "name either a report or a watch";
  const sinceMs = parseTime(since.trim(), nowMs);
  if (sinceMs === undefined) return `since must be ${TIMES}, not "${since.slice(0, 80)}"`;
  if (sinceMs >= nowMs) return "since must be in the past";
  return { ...(name === "" ? {} : { name }), ...(watch === "" ? {} : { watch }), sinceMs };
}
