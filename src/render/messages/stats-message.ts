/**
 * The message about an account whose number of influential followers crossed a threshold: the
 * current and the previous number.
 */
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import { authorOf, baseMessage, nameOf, type ReadContext } from "./event-message.ts";
import { opsAlertMessage } from "./ops-alert-message.ts";
import { beforeFacts, crossedMoves, crossedText } from "./value-moves.ts";

const COUNTS = {
  followers_count: "followers of note",
  influencers_count: "influencers among its followers",
  projects_count: "projects among its followers",
  venture_capitals_count: "venture capital firms among its followers",
};

/**
 * Reads from the event's body `user`, `stats`, the current numbers, `previous`, the numbers before,
 * and the names in `crossed`.
 */
export function statsMessage(event: OutboxEvent, { linksHost }: ReadContext): NeutralMessage {
  const { body } = event.event;
  const { user } = body;
  if (user === undefined) return opsAlertMessage(event);
  const author = authorOf(user, linksHost);
  const crossed = crossedMoves(body, "stats", COUNTS);
  return {
    ...baseMessage(event),
    title: `${nameOf(user)} ${crossedText(crossed)}`,
    author,
    body: "",
    url: author.url,
    facts: beforeFacts(crossed),
  };
}
