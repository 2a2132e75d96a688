/**
 * The message of an alert that follows another one: repeated while a value stays beyond its
 * threshold, or sent when it is back.
 */
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";

/**
 * Reads `body.repeat`, the number of the repeat, and `body.resolved`, the names of the numbers that
 * are back.
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
