/**
 * The outbox of the state, combined with what the receivers saw: which attempts belong to which
 * message, and which group an alert was in.
 */
import type { JsonObject } from "../../../src/model/json.ts";
import { CONDITIONS } from "../draw/cast.ts";
import type { LeftDelivery, LeftEvent, LeftMessage } from "../run/read-state.ts";
import type { Played } from "../run/simulate.ts";
import type { Attempt } from "../run/sinks.ts";
import type { RuledEpoch } from "./expected.ts";
import { isEverMuted } from "./mutes.ts";
import { placesOf, type Place, type Routed } from "./routes.ts";
import { type Rules, textOf, type WatchRules } from "./rules.ts";

/** An alert at a sink. */
export interface Alert {
  readonly row: LeftDelivery;
  readonly event: LeftEvent;
  /**
   * Where the alert belongs, for every configuration that may have been active when it was found.
   * Undefined: it does not belong to that sink at all.
   */
  readonly places: readonly (Place & { readonly rules: Rules; readonly watch: WatchRules })[];
}

export interface Outbox {
  readonly alerts: readonly Alert[];
  readonly messages: ReadonlyMap<string, LeftMessage>;
  /** The alerts of each message, in the order of creation. */
  readonly members: ReadonlyMap<string, readonly Alert[]>;
  /** The attempts of each message, in order. */
  readonly attempts: ReadonlyMap<string, readonly Attempt[]>;
  /** Attempts that belong to no message of the state. */
  readonly unmatched: readonly Attempt[];
}

/**
 * Returns what routes match on, read from the event itself. An event that is not about a tweet
 * fulfils no condition on tweets.
 */
export function routedOf({ labels, body }: Pick<LeftEvent, "labels" | "body">): Routed {
  const tweet = body["tweet"] as JsonObject | undefined;
  const author = (tweet?.["user"] ?? {}) as JsonObject;
  const facts = {
    ...{
      lang: textOf(tweet?.["lang"]),
      text: textOf(tweet?.["full_text"]),
      by: textOf(author["username"]),
    },
    kind: tweet?.["is_reply"] === true ? ("reply" as const) : ("post" as const),
  };
  return {
    labels,
    fulfils: (where) =>
      tweet !== undefined && CONDITIONS.find(({ text }) => text === where)?.holds(facts) === true,
  };
}

/** A reload finishes the work in progress before another configuration is active. */
const RELOAD_TAKES_MS = 20_000;

/** Returns the configurations that may have been active at that moment. */
export const epochsAt = (epochs: readonly RuledEpoch[], atMs: number): readonly RuledEpoch[] =>
  epochs.filter(({ fromMs, toMs }) => fromMs <= atMs + 1_000 && toMs >= atMs - RELOAD_TAKES_MS);

/**
 * Returns the configurations that may have placed an alert. An event with an enrichment is routed
 * once it is enriched, others at once.
 */
export const epochsOfAlert = (
  epochs: readonly RuledEpoch[],
  { labels, detectedAtMs }: Pick<LeftEvent, "labels" | "detectedAtMs">,
  routedAtMs: number,
): readonly RuledEpoch[] => {
  const isEnriched = labels["enrich"] !== undefined;
  return isEnriched
    ? [...new Set([...epochsAt(epochs, detectedAtMs), ...epochsAt(epochs, routedAtMs)])]
    : epochsAt(epochs, detectedAtMs);
};

export function readOutbox(
  { left, attempts }: Played,
  epochs: readonly RuledEpoch[],
  isClockSet: boolean,
): Outbox {
  const events = new Map(left.events.map((event) => [event.id, event]));
  const alerts = left.deliveries.map((row): Alert => {
    const event = events.get(row.eventId) as LeftEvent;
    // The daemon's own events go to ops at once, whichever watch they concern.
    const possible =
      event.watchType === "daemon"
        ? []
        : isClockSet
          ? epochs
          : epochsOfAlert(epochs, event, row.createdAtMs);
    const places = possible.flatMap(({ rules }) => {
      const watch = rules.watches.get(event.watch);
      if (watch === undefined) return [];
      return placesOf(rules, watch, routedOf(event))
        .filter(({ sink }) => sink === row.sink)
        .map((place) => ({ ...place, rules, watch }));
    });
    return { row, event, places };
  });
  const messages = new Map(left.messages.map((message) => [message.id, message]));
  const members = groupBy(
    alerts.filter(({ row }) => row.messageId !== null),
    ({ row }) => row.messageId ?? "",
  );
  const byContent = groupBy(
    left.messages,
    (message) => `${message.sink}\n${contentOf(JSON.parse(message.body))}`,
  );
  const byShortId = new Map(left.messages.map((message) => [message.id.slice(0, 25), message]));
  const found = new Map<string, Attempt[]>();
  const unmatched: Attempt[] = [];
  for (const attempt of attempts.filter(isMessage)) {
    const id = keyOf(attempt);
    const own =
      id === undefined
        ? (byContent.get(`${attempt.sink}\n${contentOf(attempt.body)}`) ?? [])
        : [byShortId.get(id.slice(0, 25))];
    const matching = own.filter((message) => message !== undefined);
    const known = matching.length > 0 ? matching : withFooter(attempt, left.messages);
    for (const { id: messageId } of known) {
      const those = found.get(messageId);
      if (those === undefined) found.set(messageId, [attempt]);
      else those.push(attempt);
    }
    const isElsewhere = attempt.wire === "console" || isPlain(attempt) || isOfState(attempt);
    if (known.length === 0 && !isElsewhere) unmatched.push(attempt);
  }
  return { alerts, messages, members, attempts: found, unmatched };
}

/**
 * Returns the messages that an attempt with a footer may belong to. The footer says who had
 * acknowledged the alerts before the message was made.
 */
function withFooter(attempt: Attempt, messages: readonly LeftMessage[]): readonly LeftMessage[] {
  const text = contentOf(attempt.body);
  if (!/cknowledged/.test(text)) return [];
  const alike = messages
    .filter(({ sink, footer }) => sink === attempt.sink && (footer ?? "") !== "")
    .map((message) => ({ message, chars: commonChars(text, contentOf(JSON.parse(message.body))) }));
  const best = Math.max(MIN_COMMON_CHARS, ...alike.map(({ chars }) => chars));
  return alike.filter(({ chars }) => chars === best).map(({ message }) => message);
}

/** Two texts with this many characters in common begin with the title of the same alert. */
const MIN_COMMON_CHARS = 30;

function commonChars(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/**
 * Returns whether a message continues the list of the message it stands below. Any other message
 * below it only belongs to the same thread.
 */
export function isPart({ parentId, body }: LeftMessage): boolean {
  const { lines, blocks, isPart: isMarked } = (JSON.parse(body) ?? {}) as JsonObject;
  return parentId !== null && lines === undefined && (blocks === undefined || isMarked === true);
}

/** Whether an attempt delivers a message. Attempts that open a thread or publish do not. */
export const isMessage = (attempt: Attempt): boolean => !isEdit(attempt) && isPost(attempt);

/** Whether an attempt edits an existing message. */
export const isEdit = ({ wire, path }: Attempt): boolean =>
  (wire === "slack-bot" && path.endsWith("/chat.update")) ||
  (wire === "discord-bot" && /\/messages\/\d+$/.test(path)) ||
  (wire === "telegram" && path.endsWith("/editMessageText"));

/**
 * Whether an attempt posts a new message, neither a crosspost nor a thread that is opened
 * afterwards.
 */
export const isPost = ({ sink, path, body }: Attempt): boolean =>
  sink !== "" &&
  !path.endsWith("/crosspost") &&
  !(path.endsWith("/threads") && (body as JsonObject)["message"] === undefined);

/**
 * Returns the value by which the receiver can recognise a message, or undefined if it gets none.
 */
export function keyOf({ wire, body, headers }: Attempt): string | undefined {
  const fields = body as { readonly nonce?: string; readonly metadata?: string };
  if (wire === "webhook") return headers["webhook-id"];
  if (wire === "email") return headers["message-id"]?.replace(/^<|@.*/g, "");
  if (wire === "discord-bot") return fields.nonce;
  if (wire !== "slack-bot" || fields.metadata === undefined) return undefined;
  return (JSON.parse(fields.metadata) as { readonly event_payload?: { readonly id?: string } })
    .event_payload?.id;
}

/**
 * Returns the part of a body that carries alerts: for Discord the embeds and the text above them,
 * for a file its lines.
 */
function contentOf(body: unknown): string {
  if (typeof body === "string") return body;
  const fields = (body ?? {}) as Readonly<Record<string, JsonObject | undefined>>;
  const { message, embeds = [], content = "" } = fields;
  if (message !== undefined) return contentOf(message);
  const own = ["text", "blocks", "attachments", "title", "body", "subject"].map(
    (key) => fields[key],
  );
  return JSON.stringify(own.every((part) => part === undefined) ? [content, embeds] : own);
}

/**
 * Whether a message is about a state that cannot be written. The state cannot hold that message, so
 * it goes to a sink of `ops` directly. check-ops.ts checks when.
 */
export const isOfState = (attempt: Pick<Attempt, "text">): boolean =>
  saysItStopped(attempt) || spaced(attempt).includes("chirpwatch can write its state again");

/** Whether it says that the state cannot be written, and not that it can be again. */
export const saysItStopped = (attempt: Pick<Attempt, "text">): boolean =>
  spaced(attempt).includes("chirpwatch cannot write its state");

/** Returns the text with its spaces, which forms encode. */
const spaced = ({ text }: Pick<Attempt, "text">): string => text.replaceAll("%20", " ");

/** Whether an attempt repeats a refused message without its formatting. */
const isPlain = ({ wire, body }: Attempt): boolean => {
  const { message = body, blocks, embeds } = body as JsonObject;
  return wire.startsWith("slack")
    ? blocks === undefined
    : wire.startsWith("discord") && (embeds ?? (message as JsonObject)["embeds"]) === undefined;
};

/**
 * Whether the sender knows that the message arrived. If the answer was lost, the sender sees a
 * failure and the outage goes on. Discord answers a repeat with the message that is there already.
 */
export const isReported = ({ accepted, answeredAtMs, wire, status }: Attempt): boolean =>
  answeredAtMs !== undefined && (accepted || (wire === "discord-bot" && status === 200));

/**
 * Returns the account that an alert reports as joined or left, with the list and the sink. It is
 * the same for both directions, and undefined for other alerts.
 */
export function comingOf({ row, event }: Alert): string | undefined {
  if (!/\.(?:added|removed|entered|left)$/.test(event.type) || event.type.startsWith("trend."))
    return undefined;
  const target =
    (event.body["target"] as JsonObject | undefined)?.["id"] ?? event.labels["target"] ?? "";
  return JSON.stringify([row.sink, event.type.split(".")[0], target, event.subject]);
}

/**
 * Returns whether the alert undoes one that a mute may hold. It then waits as long as that one,
 * outside its own group.
 */
export const isBehindMute = (alert: Alert, outbox: Pick<Outbox, "alerts">): boolean =>
  earlierComings(alert, outbox).some(({ places }) =>
    places.some(({ hours }) => isEverMuted(hours) && !hours.isDropping),
  );

/** Returns the earlier alerts on the same coming and going, which an alert must not overtake. */
export function earlierComings(alert: Alert, { alerts }: Pick<Outbox, "alerts">): readonly Alert[] {
  const coming = comingOf(alert);
  return coming === undefined
    ? []
    : alerts.filter((other) => other.row.id < alert.row.id && comingOf(other) === coming);
}

/**
 * Whether an earlier alert on the same subject is held beyond the end. It must be sent first, also
 * before the report of an edit.
 */
export const isBehindHeld = (
  { row, event }: Pick<Alert, "row" | "event">,
  { alerts, messages }: Pick<Outbox, "alerts" | "messages">,
  endMs: number,
): boolean =>
  alerts.some(({ row: before, event: earlier }) => {
    if (before.id >= row.id || before.sink !== row.sink) return false;
    if (earlier.subject !== event.subject) return false;
    if (earlier.type !== event.type && event.type !== "tweet.edited") return false;
    const message = messages.get(before.messageId ?? "");
    return before.state === "waiting"
      ? (before.dueAtMs ?? 0) > endMs
      : message?.state === "open" && (message.nextAttemptAtMs ?? 0) > endMs;
  });

export function groupBy<T>(
  items: readonly T[],
  keyOfItem: (item: T) => string,
): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOfItem(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/**
 * Returns the alert that this one joined, over several steps, or the alert itself if it joined
 * none.
 */
export function rootOf(alert: Alert, { alerts }: Pick<Outbox, "alerts">): Alert {
  const { joinedId } = alert.row;
  const joined = joinedId === null ? undefined : alerts.find(({ row }) => row.id === joinedId);
  return joined === undefined ? alert : rootOf(joined, { alerts });
}
