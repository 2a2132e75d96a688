/**
 * The message of a follow-up: an alert that is repeated while a value stays beyond its threshold,
 * or one that says that the value is back to normal.
 */
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";

/**
 * Reads `body.repeat`, the number of the repeat, and `body.resolved`, the names of the values that
 * are back to normal. `message` is the message without the follow-up's words.
 */
export function followUpMessage({ event }: OutboxEvent, message: NeutralMessage): NeutralMessage {
  const { repeat, resolved } = event.body;
  if (resolved !== undefined) return { ...message, title: `Resolved: ${message.title}` };
  if (typeof repeat !== "number") return message;
  return {
    ...message,
    title: `Still so: ${message.title}`,
    facts: [...message.facts, { name: "Repeat", value: String(repeat) }],
  };
}
