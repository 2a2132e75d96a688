/** The message about an account that is in another country now, or has changed its handle again. */
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import { authorOf, baseMessage, nameOf, type ReadContext } from "./event-message.ts";
import { opsAlertMessage } from "./ops-alert-message.ts";
import {
  changedLines,
  changedMoves,
  crossedMoves,
  joinWords,
  type Move,
  valueText,
} from "./value-moves.ts";

/**
 * Reads from the event's body `user`, `about`, the current values, `previous`, the values before,
 * and the names in `changed` and `crossed`.
 */
export function aboutMessage(event: OutboxEvent, { linksHost }: ReadContext): NeutralMessage {
  const { body } = event.event;
  const { user } = body;
  if (user === undefined) return opsAlertMessage(event);
  const author = authorOf(user, linksHost);
  const moved = changedMoves(body, "about", { country: "country" });
  const renamed = crossedMoves(body, "about", {});
  const deeds = [
    ...renamed.map(renameText),
    ...moved.map(({ now }) => `is in ${valueText(now)} now`),
  ];
  return {
    ...baseMessage(event),
    title: `${nameOf(user)} ${joinWords(deeds) || "changed"}`,
    author,
    body: changedLines(moved),
    url: author.url,
    facts: [],
  };
}

const renameText = ({ now }: Move): string =>
  now === 1
    ? "changed the handle for the first time"
    : `changed the handle, ${valueText(now)} times so far`;
