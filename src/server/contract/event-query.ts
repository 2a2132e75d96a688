/**
 * Reads and checks queries for past events and for reports. The text of a query comes from the
 * address of a request or from the options of a command.
 */
import type { z } from "zod";
import { lazy } from "../../model/lazy.ts";
import type { ReportQuery } from "../../model/report.ts";
import { parseAccount } from "../../model/account.ts";
import { parseDuration } from "../../model/duration.ts";
import { DELIVERY_STATES, type DeliveryOutcome, type EventQuery } from "../../model/history.ts";
import { flagValue, parsedValue, queryProblem, addressSchema, textValue } from "./query.ts";

/**
 * A point in time, as a function of the current time, because the text may say how long ago it was.
 */
type Moment = (nowMs: number) => number;

/** The text with which error messages explain how to write a time. */
export const TIMES = "a time like 2026-07-27T09:00:00Z or 2026-07-27, or how long ago, like 2h";

export const timeValue = () =>
  parsedValue((text): Moment | undefined => {
    if (parseTime(text, 0) === undefined) return undefined;
    return (nowMs) => parseTime(text, nowMs) ?? nowMs;
  }, TIMES);

/** The maximum number of events in one answer. */
export const MAX_EVENTS = 1_000;
const DEFAULT_EVENTS = 50;

/** The filters of a query for events. An event must match all of them. */
export const eventFilters = lazy(() =>
  addressSchema({
    since: timeValue(),
    until: timeValue(),
    watch: parsedValue(parseNames, "the id of a watch, or several separated by commas"),
    alerts: flagValue("`true` leaves out the daemon's own events."),
    author: parsedValue(parseAuthor, "a handle, an id or a profile link"),
    text: textValue("A text that occurs anywhere in the event."),
    sink: textValue("The name of a sink that at least one of its deliveries went to."),
    state: parsedValue(parseState, `one of ${DELIVERY_STATES.join(", ")}`),
    acknowledged: parsedValue(parseAnswer, "yes or no"),
    "not-relevant": parsedValue(parseAnswer, "yes or no"),
    limit: parsedValue(parseLimit, `a whole number from 1 to ${MAX_EVENTS}`),
    before: parsedValue(parseNext, "the `next` of an answer"),
    cursor: parsedValue(parseNext, "the `next` of an answer", "The same as `before`."),
  }),
);

type EventFilters = z.infer<ReturnType<typeof eventFilters>>;
/** The filters of a query as text, before they are parsed. An empty text counts as absent. */
export type EventQueryText = { readonly [Name in keyof EventFilters]?: string };

/** Returns the parsed query, or a sentence that says what is wrong and what to write instead. */
export function readEventQuery(text: EventQueryText, nowMs: number): EventQuery | string {
  const read = eventFilters().safeParse(text);
  return read.success ? eventQueryOf(read.data, nowMs) : queryProblem(read.error.issues);
}

export const eventQueryOf = (
  {
    since,
    until,
    watch,
    alerts,
    author,
    text,
    sink,
    state,
    acknowledged,
    "not-relevant": notRelevant,
    limit,
    before,
    cursor,
  }: EventFilters,
  nowMs: number,
): EventQuery => ({
  sinceMs: since?.(nowMs),
  untilMs: until?.(nowMs),
  watches: watch,
  ...(alerts === true ? { onlyAlerts: true } : {}),
  ...(author === undefined ? {} : { author }),
  ...(text === undefined ? {} : { text }),
  ...(sink === undefined ? {} : { sink }),
  ...(state === undefined ? {} : { state }),
  ...(acknowledged === undefined ? {} : { isAcknowledged: acknowledged }),
  ...(notRelevant === undefined ? {} : { isNotRelevant: notRelevant }),
  ...(before === undefined && cursor === undefined ? {} : { before: cursor ?? before }),
  limit: limit ?? DEFAULT_EVENTS,
});

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Parses a time, or a duration that is subtracted from `nowMs`; undefined if the text is neither. A
 * time without a zone is in UTC, like all times that the daemon writes.
 */
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

const parseNext = (value: string): string | undefined => (/^\d+$/.test(value) ? value : undefined);

const parseAnswer = (value: string): boolean | undefined =>
  value === "yes" || value === "no" ? value === "yes" : undefined;

function parseLimit(value: string): number | undefined {
  const limit = Number(value);
  return Number.isInteger(limit) && limit >= 1 && limit <= MAX_EVENTS ? limit : undefined;
}

/** How far back a report goes if the query does not say it. */
const DEFAULT_SINCE = "7d";

/** The values that choose a report. */
export const reportFilters = lazy(() =>
  addressSchema({
    name: textValue("The name of a report of the configuration."),
    watch: textValue("The id of a watch."),
    since: timeValue(),
  }),
);

type ReportFilters = z.infer<ReturnType<typeof reportFilters>>;

/** Returns the parsed query for a report, or a sentence that says what is wrong with it. */
export function readReportQuery(
  text: { readonly [Name in keyof ReportFilters]?: string | undefined },
  nowMs: number,
): ReportQuery | string {
  const read = reportFilters().safeParse(text);
  return read.success ? reportQueryOf(read.data, nowMs) : queryProblem(read.error.issues);
}

export function reportQueryOf(
  { name, watch, since }: ReportFilters,
  nowMs: number,
): ReportQuery | string {
  if ((name === undefined) === (watch === undefined)) return "name either a report or a watch";
  const sinceMs = since?.(nowMs) ?? parseTime(DEFAULT_SINCE, nowMs) ?? nowMs;
  if (sinceMs >= nowMs) return "since must be in the past";
  return {
    ...(name === undefined ? {} : { name }),
    ...(watch === undefined ? {} : { watch }),
    sinceMs,
  };
}
