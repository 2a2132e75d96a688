/**
 * Checks follow-ups as docs/delivery.md describes them. They are never louder than their alert and
 * do not contain the text of the post. An alert whose post is gone is not sent any more. A
 * follow-up is not sent if an edit shows the same or if nobody was shown its alert, and only once
 * for several watches.
 */
import type { JsonObject } from "../../../src/model/json.ts";
import type { LeftEvent, LeftMessage } from "../run/read-state.ts";
import { ESCALATED } from "./acts.ts";
import { type Evidence, label } from "./evidence.ts";
import { type Alert, groupBy, rootOf } from "./outbox.ts";

/**
 * Returns whether an event follows an alert. For a watch that follows a single post, the end of the
 * post is an alert itself.
 */
export const isFollowUp = ({
  type,
  watchType,
  body,
}: Pick<LeftEvent, "type" | "watchType" | "body">): boolean =>
  (body["resolved"] !== undefined && type !== ESCALATED) ||
  (watchType !== "tweet" && (type === "tweet.edited" || type === "tweet.deleted"));

/**
 * Whether a follow-up was left out because nobody was shown its alert. Another check makes sure of
 * that.
 */
export const isDropped = ({ row, event }: Alert): boolean =>
  row.state === "duplicate" && row.joinedId === null && isFollowUp(event);

/**
 * A message sealed within this time after its post was found to be gone may have been decided just
 * before.
 */
const DECIDED_WITHIN_MS = 1_000;
/** Texts shorter than this occur in other texts by chance. */
const SHORTEST_TEXT = 12;

export function checkFollowUps(evidence: Evidence): readonly string[] {
  const { outbox, isClockSet } = evidence;
  const ends = groupBy(
    evidence.played.left.events.filter(({ type }) => type === "tweet.deleted"),
    ({ subject }) => subject,
  );
  const isGoneBy = ({ event }: Alert, atMs: number) =>
    (ends.get(event.subject) ?? []).some(
      ({ detectedAtMs }) => detectedAtMs >= event.detectedAtMs && detectedAtMs <= atMs,
    );
  const dropped = outbox.alerts.filter(
    (alert) => alert.row.state === "deleted" && !isGoneBy(alert, Number.POSITIVE_INFINITY),
  );
  const messages = [...outbox.messages.values()].flatMap((message) => {
    const members = outbox.members.get(message.id) ?? [];
    return members.length === 0 ? [] : objectTo(message, members, evidence);
  });
  const late = [...outbox.messages.values()].filter((message) => {
    const members = (outbox.members.get(message.id) ?? []).filter(
      ({ event }) => /^tweet\./.test(event.type) && event.type !== "tweet.deleted",
    );
    const isNew = (outbox.attempts.get(message.id) ?? []).length > 0;
    return (
      isNew && members.some((alert) => isGoneBy(alert, message.sealedAtMs - DECIDED_WITHIN_MS))
    );
  });
  return [
    ...messages,
    ...aboutNothingShown(evidence),
    ...saidTwice(evidence),
    ...droppedThoughShown(evidence),
    ...(isClockSet
      ? []
      : dropped.map(
          ({ row }) => `${row.sink}: alert ${row.id} was left out as gone, and its post is not`,
        )),
    ...(isClockSet
      ? []
      : late.map(
          ({ id, sink }) => `${sink}: message ${id} was made of a post that was known to be gone`,
        )),
  ];
}

function objectTo(
  message: LeftMessage,
  members: readonly Alert[],
  { played, tweets, epochs, outbox }: Evidence,
): readonly string[] {
  const { id, sink, body } = message;
  const quoted = members.flatMap(({ event }) => {
    const tweet = tweets.get(event.subject);
    const isQuoted =
      tweet !== undefined &&
      tweet.text.length >= SHORTEST_TEXT &&
      body.includes(JSON.stringify(tweet.text).slice(1, -1));
    return event.type === "tweet.deleted" && members.length === 1 && isQuoted
      ? [`${sink}: message ${id} repeats the text of ${label(tweet, played)}, which is gone`]
      : [];
  });
  if (!members.every(({ event }) => isFollowUp(event))) return quoted;
  const isPublished = played.attempts.some(
    (attempt) =>
      attempt.sink === sink && message.ref !== null && isAfterwards(attempt.path, message.ref),
  );
  const isInstead = epochs.every(({ rules }) => {
    const keys = rules.sinks.get(sink)?.keys ?? {};
    return (
      ((keys["update"] ?? []) as readonly string[]).includes("deleted") &&
      keys["follow_up"] !== "always"
    );
  });
  const isUntroubled = !played.scenario.steps.some((step) => step.do === "sink trouble");
  const isBeside = members.some(
    ({ event }) =>
      event.type === "tweet.deleted" &&
      isInstead &&
      isUntroubled &&
      isShownAlone(event.subject, sink, outbox, message),
  );
  return [
    ...quoted,
    ...(isPublished
      ? [`${sink}: message ${id} is a follow-up, and is published or begins a thread`]
      : []),
    ...(isBeside ? [`${sink}: message ${id} says what the edit of its alert says`] : []),
  ];
}

const isAfterwards = (path: string, ref: string): boolean =>
  path.endsWith(`/messages/${ref}/crosspost`) || path.endsWith(`/messages/${ref}/threads`);

/**
 * Whether the sink shows the alert in a message of its own and of the same watch, which is edited
 * then.
 */
const isShownAlone = (
  subject: string,
  sink: string,
  outbox: Evidence["outbox"],
  own: LeftMessage,
): boolean =>
  [...outbox.messages.values()].some((message) => {
    const members = outbox.members.get(message.id) ?? [];
    const isAlert =
      members.length === 1 &&
      members[0]?.event.type === "tweet.created" &&
      members[0].event.subject === subject;
    const isOfWatch = (outbox.members.get(own.id) ?? []).every(
      ({ event }) => event.watch === members[0]?.event.watch,
    );
    return (
      message.sink === sink &&
      message.state === "sent" &&
      message.ref !== null &&
      isAlert &&
      isOfWatch &&
      message.sealedAtMs < own.sealedAtMs
    );
  });

/**
 * Finds follow-ups about alerts that nobody was shown. An alert that an operator sent again may
 * have been shown before.
 */
function aboutNothingShown({ outbox }: Evidence): readonly string[] {
  const wasShown = (alert: Alert): boolean => {
    const root = rootOf(alert, outbox);
    const message = outbox.messages.get(root.row.messageId ?? "");
    const isHere = root.event.subject === alert.event.subject && message?.state !== "dead";
    const isAgain = alert.row.replayedAtMs !== null || root.row.replayedAtMs !== null;
    return isAgain || (isHere && /^(sealed|summarised)$/.test(root.row.state));
  };
  return followUpsSent(outbox).flatMap((followUp) => {
    const { sink, id } = followUp.row;
    // The follow-up also speaks for those of other watches that joined it.
    const joined = outbox.alerts.filter(({ row }) => row.joinedId === id);
    const alerts = [followUp, ...joined].flatMap((one) => alertsBefore(one, outbox));
    return alerts.length === 0 || alerts.some(wasShown)
      ? []
      : [`${sink}: alert ${id} follows one that nobody was shown`];
  });
}

function droppedThoughShown({ outbox }: Evidence): readonly string[] {
  const isShown = (alert: Alert, { createdAtMs }: Alert["row"]) => {
    const message = outbox.messages.get(alert.row.messageId ?? "");
    const isOwn = alert.row.joinedId === null && alert.row.state === "sealed";
    return isOwn && message?.state === "sent" && (message.doneAtMs ?? createdAtMs) < createdAtMs;
  };
  return outbox.alerts
    .filter(
      (alert) =>
        isDropped(alert) && alertsBefore(alert, outbox).some((one) => isShown(one, alert.row)),
    )
    .map(({ row }) => `${row.sink}: alert ${row.id} is left out, though its alert was shown`);
}

function saidTwice({ outbox }: Evidence): readonly string[] {
  const seen = new Set<string>();
  return followUpsSent(outbox).flatMap((followUp) => {
    const { row, event } = followUp;
    const [alert] = alertsBefore(followUp, outbox);
    if (alert === undefined || row.replayedAtMs !== null) return [];
    const text =
      event.type === "tweet.edited" ? (event.body["tweet"] as JsonObject)["full_text"] : "";
    const key = JSON.stringify([rootOf(alert, outbox).row.id, event.type, text]);
    const isAgain = seen.has(key);
    seen.add(key);
    return isAgain
      ? [`${row.sink}: alert ${row.id} says of an alert what another watch said of it`]
      : [];
  });
}

/** Returns the alerts of the same watch on the same post, at the same sink. */
const alertsBefore = ({ row, event }: Alert, { alerts }: Evidence["outbox"]): readonly Alert[] =>
  alerts.filter(
    ({ row: { sink }, event: { type, watch, subject } }) =>
      type === "tweet.created" &&
      sink === row.sink &&
      watch === event.watch &&
      subject === event.subject,
  );

/** Returns the alerts on edited or deleted posts in messages that were sent. */
const followUpsSent = ({ alerts, messages }: Evidence["outbox"]): readonly Alert[] =>
  alerts.filter(({ row, event }) => {
    const isOfPost = event.type === "tweet.edited" || event.type === "tweet.deleted";
    return isOfPost && isFollowUp(event) && messages.get(row.messageId ?? "")?.state === "sent";
  });
