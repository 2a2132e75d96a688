/**
 * Checks `dedupe`: of alerts of one sink that have the same key, only one is sent within the
 * window, and every alert that is not sent has one that was. Works from the events in the state and
 * the rules in the documentation.
 */
import { isDropped } from "./check-follow-ups.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { LeftEvent } from "../run/read-state.ts";
import { isFollowUp } from "./check-levels.ts";
import type { Evidence } from "./evidence.ts";
import { type Alert, groupBy } from "./outbox.ts";
import { textOf, type WrittenDedupe } from "./rules.ts";

export function checkDedupe({ outbox, isClockSet }: Evidence): readonly string[] {
  // A follow-up has the same key as its alert and is sent all the same.
  const keyed = outbox.alerts.flatMap((alert) => {
    if (isFollowUp(alert.event)) return [];
    const dedupe = writtenOf(alert);
    const key = dedupe === undefined ? undefined : keyOf(alert.event, dedupe);
    return dedupe === undefined || key === undefined
      ? []
      : [{ alert, dedupe, key: JSON.stringify([alert.row.sink, dedupe, key]) }];
  });
  const twice = isClockSet
    ? []
    : [...groupBy(keyed, ({ key }) => key).values()].flatMap((alike) => checkTwice(alike, outbox));
  const byId = new Map(outbox.alerts.map((alert) => [alert.row.id, alert]));
  const joined = outbox.alerts.filter(
    (alert) =>
      /^(?:merged|duplicate)$/.test(alert.row.state) && !isDropped(alert) && !isReplaced(alert),
  );
  const compared = joined.flatMap((alert) => {
    const other = byId.get(alert.row.joinedId ?? -1);
    return [
      ...checkLike(alert, other),
      ...(isClockSet || other === undefined ? [] : checkGivenUp(alert, other, outbox)),
    ];
  });
  return [...twice, ...compared];
}

/** Whether a repeat was replaced by the value that the next poll found. See check-levels.ts. */
const isReplaced = ({ row, event }: Alert): boolean =>
  row.state === "duplicate" && row.joinedId === null && event.body["repeat"] !== undefined;

/** Returns when the message of an alert was given up for good, or undefined if it was not. */
const deadAtMs = ({ row }: Alert, { messages }: Evidence["outbox"]): number | undefined => {
  const message = messages.get(row.messageId ?? "");
  return message?.state === "dead" ? (message.doneAtMs ?? undefined) : undefined;
};

/**
 * Checks alerts around one whose message was given up. Nobody received it, so no later alert may
 * join it; alerts that joined it earlier are part of it.
 */
function checkGivenUp({ row }: Alert, other: Alert, outbox: Evidence["outbox"]): readonly string[] {
  const atMs = deadAtMs(other, outbox);
  if (atMs === undefined) return [];
  if (atMs < row.createdAtMs)
    return [`${row.sink}: alert ${row.id} joined ${other.row.id}, which had been given up`];
  return row.state === "duplicate"
    ? [`${row.sink}: alert ${row.id} is called a duplicate of ${other.row.id}, which was given up`]
    : [];
}

/** Returns the `dedupe` of an alert. Undefined if the configuration changed it meanwhile. */
function writtenOf({ places }: Alert): WrittenDedupe | undefined {
  const [first, ...others] = new Set(places.map(({ dedupe }) => JSON.stringify(dedupe)));
  const dedupe = places[0]?.dedupe;
  return first === undefined || others.length > 0 || dedupe === false ? undefined : dedupe;
}

interface Keyed {
  readonly alert: Alert;
  readonly dedupe: WrittenDedupe;
}

function checkTwice(alike: readonly Keyed[], outbox: Evidence["outbox"]): readonly string[] {
  const sent = alike.filter(({ alert }) => /^(?:waiting|sealed|summarised)$/.test(alert.row.state));
  return sent.flatMap(({ alert, dedupe }, n) => {
    const isDead = (one: Keyed) =>
      (deadAtMs(one.alert, outbox) ?? Number.POSITIVE_INFINITY) <= alert.row.createdAtMs;
    const before = sent.slice(0, n).findLast((one) => !isDead(one))?.alert.row;
    const isWithin =
      before !== undefined && alert.row.createdAtMs < before.createdAtMs + dedupe.windowMs;
    return isWithin
      ? [
          `${alert.row.sink}: alert ${alert.row.id} is sent beside ${before.id}, which is like it in ${dedupe.key.join(" and ")}`,
        ]
      : [];
  });
}

function checkLike({ row, event, places }: Alert, other: Alert | undefined): readonly string[] {
  const written = places.flatMap(({ dedupe }) =>
    dedupe === undefined || dedupe === false ? [] : [dedupe],
  );
  if (written.length === 0) return [];
  const isLike = (dedupe: WrittenDedupe) =>
    other !== undefined && keyOf(event, dedupe) === keyOf(other.event, dedupe);
  // A default of chats still applies when a route had another `dedupe` before.
  const isSame = other?.event.subject === event.subject;
  return isSame || written.some(isLike)
    ? []
    : [`${row.sink}: alert ${row.id} joined ${row.joinedId}, which is not like it`];
}

/** Returns the key of an event, or undefined if the event lacks a part of it. */
function keyOf(
  { type, subject, body, labels }: LeftEvent,
  { key }: WrittenDedupe,
): string | undefined {
  const tweet = body["tweet"] as JsonObject | undefined;
  const isPost = type === "tweet.created";
  const parts = key.map((part) => {
    if (part === "tweet") return isPost ? textOf(tweet?.["id"], subject) : "";
    if (part === "text")
      return isPost
        ? plain(
            textOf(
              ((tweet?.["retweeted_status"] ?? tweet) as JsonObject | undefined)?.["full_text"],
            ),
          )
        : "";
    if (part === "author")
      return textOf((tweet?.["user"] as JsonObject | undefined)?.["id"], labels["author"] ?? "");
    return labels[part] ?? "";
  });
  return parts.includes("") ? undefined : JSON.stringify([type, parts]);
}

function plain(text: string): string {
  const words = text.normalize("NFKC").toLowerCase().split(/\s+/);
  const own = words
    .map((word) => word.replace(/https?:\/\/.*/, "").replace(/@\w+:?/g, ""))
    .filter((word) => word !== "");
  const joined = own.join(" ");
  return joined.length < 20 ? "" : joined;
}
