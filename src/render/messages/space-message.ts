/** The message about a Space that changed: its host, what happened, and how many people listen. */
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import { cleanLine } from "../text/clean-text.ts";
import { authorOf, baseMessage, nameOf, type ReadContext } from "./event-message.ts";
import { formatCompact } from "../text/numbers.ts";
import { spaceUrl } from "../text/permalink.ts";
import {
  beforeFacts,
  changedMoves,
  crossedMoves,
  crossedText,
  joinWords,
  type Move,
  valuesOf,
  valueText,
} from "./value-moves.ts";

const NOUNS = {
  state: "state",
  title: "title",
  scheduled_start: "start",
  listeners: "listeners",
  participants: "participants",
};

/**
 * Reads from the event's body `space`, the current values, `previous`, the values before, and
 * `user`, the host.
 */
export function spaceMessage(
  event: OutboxEvent,
  { linksHost, locale }: ReadContext,
): NeutralMessage {
  const { body, subject } = event.event;
  const { user } = body;
  const space = valuesOf(body["space"]);
  const crossed = crossedMoves(body, "space", NOUNS);
  const deeds = [
    ...changedMoves(body, "space", NOUNS).map(deedOf),
    ...(crossed.length === 0 ? [] : [crossedText(crossed)]),
  ];
  return {
    ...baseMessage(event),
    title: `${user === undefined ? "A Space" : `A Space by ${nameOf(user)}`} ${joinWords(deeds)}`,
    ...(user === undefined ? {} : { author: authorOf(user, linksHost) }),
    body: typeof space["title"] === "string" ? cleanLine(space["title"]) : "",
    url: spaceUrl(linksHost, subject),
    facts: [
      // The title has the exact number of what was crossed, so no fact repeats it.
      ...["listeners", "participants"]
        .filter((name) => crossed.every((move) => move.name !== name))
        .flatMap((name) => countFact(name, space[name], locale)),
      ...beforeFacts(crossed),
    ],
  };
}

/**
 * Returns the words for what happened. The service's document does not list the states of a Space,
 * so an unknown state is shown unchanged.
 */
function deedOf({ name, now, before }: Move): string {
  if (name === "title") return `has a new title (it was “${valueText(before)}”)`;
  if (name === "scheduled_start") return `now starts at ${valueText(now)}`;
  const state = valueText(now);
  if (/^(?:running|live)$/i.test(state)) return "is live";
  if (/^(?:ended|timedout)$/i.test(state)) return "has ended";
  return `is now ${state}`;
}

const countFact = (
  name: string,
  count: unknown,
  locale: string | undefined,
): NeutralMessage["facts"] =>
  typeof count === "number" && count > 0
    ? [
        {
          name: name === "listeners" ? "Listeners" : "Participants",
          value: formatCompact(count, locale),
        },
      ]
    : [];
