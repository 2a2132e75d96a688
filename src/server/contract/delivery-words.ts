/**
 * Texts for the page and for commands about what happened to alerts and why alerts wait. The caller
 * formats the times in them.
 */
import { isoTime } from "../../model/clock.ts";
import type { Verdict } from "../../model/event.ts";
import type { DeliveryOutcome } from "../../model/history.ts";
import { ownValue } from "../../model/own-value.ts";
import type { Mark } from "../../model/mark.ts";
import type { MarkView } from "../schema/mark-view.ts";
import type { DeliveryView, SinkView, WaitView } from "../schema/sink-view.ts";
import type { EventLine } from "../schema/event-view.ts";

/** What a verdict means for people. */
export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  event: "news: it became an alert",
  dead: "not delivered: it became an alert, which was given up",
  silenced: "not delivered: silenced",
  deleted: "not delivered: the post was gone before the alert was sent",
  baseline: "no alert: it was there when the watch began",
  filtered: "no alert: filtered",
  too_old: "no alert: too old when it was found",
  muted: "no alert: muted",
  duplicate: "no alert: duplicate",
};

const STATES: Readonly<Record<string, string>> = {
  sealed: "on its way",
  dead: "given up",
  summarised: "counted in a digest, not listed",
  not_published: "not published",
  not_enriched: "sent without the enrichment",
  duplicate: "duplicate of another message",
};

/** Returns the state of a delivery for people, such as `given up` for `dead`. */
export const stateWords = (state: string): string => ownValue(STATES, state) ?? state;

type TimeText = (iso: string) => string;

const OUTCOMES: Readonly<Record<DeliveryOutcome, string>> = {
  waiting: "waiting",
  held: "held",
  sealed: "on its way",
  sent: "delivered",
  summarised: "counted in a digest, not listed",
  dead: "dead",
  muted: "muted",
  silenced: "silenced",
  deleted: "not sent, because the post was gone",
  duplicate: "duplicate, not sent",
  published: "published",
  not_published: "not published",
  not_enriched: "sent without the enrichment",
};

const IS_TRIED_AGAIN: ReadonlySet<WaitView["cause"]> = new Set([
  "sink_failing",
  "retrying",
  "enriching",
]);

/**
 * Returns a text such as `held by nights until 07:00` or `the sink fails: 503; next attempt 12:04`.
 */
export function waitText({ cause, reason, until }: WaitView, time: TimeText): string {
  if (until === null) return reason;
  return IS_TRIED_AGAIN.has(cause)
    ? `${reason}; next attempt ${time(until)}`
    : `${reason} until ${time(until)}`;
}

/**
 * Returns a text such as `2 alerts are repeated while their values stay past the threshold, next 07:00`.
 */
export const repeatsText = (
  { count, next_at: next }: NonNullable<SinkView["repeats"]>,
  time: TimeText,
): string =>
  `${count === 1 ? "1 alert is repeated while its value stays" : `${count} alerts are repeated while their values stay`} past the threshold, next ${time(next)}`;

/** Returns a text such as `2 alerts go to pager unless acknowledged, the first at 07:00`. */
export const escalationText = (
  { to, count, next_at: next }: SinkView["escalations"][number],
  time: TimeText,
): string =>
  count === 1
    ? `1 alert goes to ${to} at ${time(next)} unless somebody acknowledges it`
    : `${count} alerts go to ${to} unless somebody acknowledges them, the first at ${time(next)}`;

/** Returns a text such as `delivered`, `held by nights until 07:00` or `dead`. */
const outcomeText = (
  { state, wait }: Pick<DeliveryView, "state" | "wait">,
  time: TimeText,
): string => (wait === null || wait.cause === "queued" ? OUTCOMES[state] : waitText(wait, time));

/**
 * Returns the outcome at each sink, and who acknowledged the event, such as `brand: delivered; ops:
 * dead; acknowledged by Ada`.
 */
export function outcomesText(
  { type, deliveries, acknowledged }: Pick<EventLine, "type" | "deliveries" | "acknowledged">,
  time: TimeText,
): string {
  const outcomes = deliveries.map((one) => `${one.sink}: ${outcomeText(one, time)}`);
  return [
    ...(outcomes.length === 0 ? [noSinkText(type)] : outcomes),
    ...(acknowledged === null ? [] : [`acknowledged by ${acknowledged.by}`]),
  ].join("; ");
}

/**
 * Returns why an event went to no sink. The alert about a failing sink is never sent to that sink,
 * so there may be no sink for it. Any other event goes to no sink only if no route matched.
 */
const noSinkText = (type: string): string =>
  type === "sink.failing" ? "not sent: no other sink takes ops alerts" : "no route took it";

export const markView = (mark: Mark | undefined | null): MarkView | null =>
  mark === undefined || mark === null
    ? null
    : { by: mark.by, at: isoTime(mark.atMs), from: mark.from };

/** Returns a text such as `by Ada, 2026-01-15 12:04 UTC (page)`. */
export const whoText = ({ by, at, from }: MarkView): string =>
  `by ${by}, ${at.slice(0, 16).replace("T", " ")} UTC (${from})`;

export const markText = (mark: MarkView): string => `acknowledged ${whoText(mark)}`;

export const notRelevantText = (mark: MarkView): string => `marked not relevant ${whoText(mark)}`;

export const unknownAlert = (what: string): string =>
  `there is no event and no message with alerts "${what.slice(0, 80)}": the id is wrong, or the state no longer keeps it`;
