/**
 * Combines events about several accounts that joined or left the same member list into one message:
 * a sentence, and below it a list of the accounts. roster-message.ts words an event about a single
 * account.
 */
import type { NeutralMessage, Person } from "../model/message.ts";
import type { Batch, OutboxEvent } from "../model/sink.ts";
import { nameOf } from "./messages/event-message.ts";
import { isAboutPeople, peopleSentence } from "./messages/roster-message.ts";

/** The maximum number of accounts that one card names. Further accounts are only counted. */
export const MAX_PEOPLE = 20;

/**
 * The content of one card: a single event, or several events about accounts of one member list,
 * sorted by the accounts' followers, largest number first.
 */
export interface Card {
  readonly events: readonly [OutboxEvent, ...OutboxEvent[]];
  readonly message: NeutralMessage;
}

export const cardsOf = ({
  events,
  read,
  actAt,
}: Pick<Batch, "events" | "read" | "actAt">): readonly Card[] =>
  gatherPeople(events).map((own) => {
    const message = own.length === 1 ? read(own[0]) : peopleMessage(own, read);
    const actionsUrl = actAt?.(own);
    return {
      events: own,
      message: actionsUrl === undefined ? message : { ...message, actionsUrl },
    };
  });

/**
 * Groups events by card. Events about accounts of the same member list share a card, unless a
 * template words them. Every other event has a card of its own. Cards are in the order of their
 * first events.
 */
export function gatherPeople(
  events: readonly OutboxEvent[],
): readonly (readonly [OutboxEvent, ...OutboxEvent[]])[] {
  const cards = new Map<string, [OutboxEvent, ...OutboxEvent[]]>();
  for (const [index, one] of events.entries()) {
    const { event, wording } = one;
    const isOne = wording !== undefined || !isAboutPeople(event);
    const key = isOne
      ? String(index)
      : `${event.type}\n${event.body.target?.id ?? event.labels["target"] ?? ""}`;
    const known = cards.get(key);
    if (known === undefined) cards.set(key, [one]);
    else known.push(one);
  }
  return [...cards.values()].map(byFollowers);
}

const byFollowers = ([first, ...rest]: readonly [OutboxEvent, ...OutboxEvent[]]): readonly [
  OutboxEvent,
  ...OutboxEvent[],
] => {
  const [most = first, ...others] = [first, ...rest].sort(
    (a, b) => followersOf(b) - followersOf(a),
  );
  return [most, ...others];
};

/** Returns the number of followers; -1 if the service's member list did not contain it. */
const followersOf = ({ event }: OutboxEvent): number => event.body.user?.followers_count ?? -1;

function peopleMessage(
  events: readonly [OutboxEvent, ...OutboxEvent[]],
  read: (event: OutboxEvent) => NeutralMessage,
): NeutralMessage {
  const messages = events.map(read);
  const [first] = events;
  const last = messages.reduce((newest, one) =>
    one.occurredAtMs > newest.occurredAtMs ? one : newest,
  );
  const url = messages[0]?.context?.url;
  const people = events
    .slice(0, MAX_PEOPLE)
    .map((event, index) => personOf(event, messages[index] ?? last));
  return {
    title: peopleSentence(events.length, first.event),
    body: "",
    url,
    media: [],
    list: { people, more: events.length - people.length },
    facts: [],
    occurredAtMs: last.occurredAtMs,
    occurredAt: last.occurredAt,
    watches: [...new Set(messages.flatMap(({ watches }) => watches))],
    severity:
      messages.map(({ severity }) => severity).find((severity) => severity !== "info") ?? "info",
  };
}

/**
 * Returns an account as an entry of a message's list. The second parameter is the message of the
 * same event.
 */
export function personOf(
  { event, changes = 1 }: OutboxEvent,
  { author, facts }: NeutralMessage,
): Person {
  const { user } = event.body;
  const followers = facts.find(({ name }) => name === "Followers")?.value;
  const notes = [
    followers === undefined ? "" : `${followers} followers`,
    changes === 1 ? "" : `${changes} changes`,
  ];
  return {
    name: user === undefined ? event.subject : nameOf(user),
    url: author?.url ?? "",
    note: notes.filter((note) => note !== "").join(", "),
  };
}
