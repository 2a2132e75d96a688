/**
 * Of alerts of one sink that are alike in the key of a `dedupe`, one is sent within its window; what is not sent is like one that was. Goes by the
 * events that the state holds, in the words of the documentation.
 */
import type { JsonObject } from "../../../src/model/json.ts";
import type { LeftEvent } from "../run/read-state.ts";
import { isFollowUp } from "./check-levels.ts";
import type { Evidence } from "./evidence.ts";
import { type Alert, groupBy } from "./outbox.ts";
import { textOf, type WrittenDedupe } from "./rules.ts";

export function checkDedupe({ outbox, isClockSet }: Evidence): readonly string[] {
  // What follows an alert on a value is like it, and is wanted.
  const keyed = outbox.alerts.flatMap((alert) => {
    if (isFollowUp(alert.event)) return [];
    const dedupe = writtenOf(alert);
    const key = dedupe === undefined ? undefined : keyOf(alert.event, dedupe);
    return dedupe === undefined || key === undefined ? [] : [{ alert, dedupe, key: JSON.stringify([alert.row.sink, dedupe, key]) }];
  });
  const twice = isClockSet ? [] : [...groupBy(keyed, ({ key }) => key).values()].flatMap(checkTwice);
  return [...twice, ...outbox.alerts.flatMap((alert) => checkLike(alert, outbox.alerts))];
}

/** Undefined also where the configuration changed. */
function writtenOf({ places }: Alert): WrittenDedupe | undefined {
  const [first, ...others] = new Set(places.map(({ dedupe }) => JSON.stringify(dedupe)));
  const dedupe = places[0]?.dedupe;
  return first === undefined || others.length > 0 || dedupe === false ? undefined : dedupe;
}

interface Keyed {
  readonly alert: Alert;
  readonly dedupe: WrittenDedupe;
}

function checkTwice(alike: readonly Keyed[]): readonly string[] {
  const sent = alike.filter(({ alert }) => /^(?:waiting|sealed|summarised)$/.test(alert.row.state));
  return sent.slice(1).flatMap(({ alert, dedupe }, n) => {
    const before = sent[n]?.alert.row;
    const isWithin = before !== undefined && alert.row.createdAtMs < before.createdAtMs + dedupe.windowMs;
    return isWithin
      ? [`${alert.row.sink}: alert ${alert.row.id} is sent beside ${before.id}, which is like it in ${dedupe.key.join(" and ")}`]
      : [];
  });
}

function checkLike({ row, event, places }: Alert, alerts: readonly Alert[]): readonly string[] {
  const written = places.flatMap(({ dedupe }) => (dedupe === undefined || dedupe === false ? [] : [dedupe]));
  if (!/^(?:merged|duplicate)$/.test(row.state) || written.length === 0) return [];
  const other = alerts.find((one) => one.row.id === row.joinedId);
  const isLike = (dedupe: WrittenDedupe) => other !== undefined && keyOf(event, dedupe) === keyOf(other.event, dedupe);
  // The defaults of chats still count where a route wrote something else before.
  const isSame = other?.event.subject === event.subject;
  return isSame || written.some(isLike) ? [] : [`${row.sink}: alert ${row.id} joined ${row.joinedId}, which is not like it`];
}

/** Undefined for an event that lacks a part of it. */
function keyOf({ type, subject, body, labels }: LeftEvent, { key }: WrittenDedupe): string | undefined {
  const tweet = body["tweet"] as JsonObject | undefined;
  const isPost = type === "tweet.created";
  const parts = key.map((part) => {
    if (part === "tweet") return isPost ? textOf(tweet?.["id"], subject) : "";
    if (part === "text")
      return isPost ? plain(textOf(((tweet?.["retweeted_status"] ?? tweet) as JsonObject | undefined)?.["full_text"])) : "";
    if (part === "author") return textOf((tweet?.["user"] as JsonObject | undefined)?.["id"], labels["author"] ?? "");
    return labels[part] ?? "";
  });
  return parts.includes("") ? undefined : JSON.stringify([type, parts]);
}

function plain(text: string): string {
  const words = text.normalize("NFKC").toLowerCase().split(/\s+/);
  const own = words.map((word) => word.replace(/https?:\/\/.*/, "").replace(/@\w+:?/g, "")).filter((word) => word !== "");
  const joined = own.join(" ");
  return joined.length < 20 ? "" : joined;
}
