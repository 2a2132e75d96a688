/**
 * Adds the fields of an event's enrichment (`body.enrichment`) to its message: short values as
 * facts, longer ones below the text. Sinks escape them like the rest of the message.
 */
import type { ChirpEvent } from "../../model/event.ts";
import type { NeutralMessage } from "../../model/message.ts";
import { cleanLine } from "../text/clean-text.ts";

const FACT_CHARS = 60;

export function withEnrichment(
  message: NeutralMessage,
  { body }: Pick<ChirpEvent, "body">,
): NeutralMessage {
  const fields = Object.entries(
    (body["enrichment"] ?? {}) as Readonly<Record<string, string | number | boolean>>,
  ).map(([name, value]) => ({
    name: name.replaceAll("_", " "),
    value: String(value),
  }));
  if (fields.length === 0) return message;
  const isShort = ({ value }: { readonly value: string }) =>
    value.length <= FACT_CHARS && !value.includes("\n");
  const long = fields
    .filter((field) => !isShort(field))
    .map(({ name, value }) => `${name}: ${value}`);
  return {
    ...message,
    body: [message.body, ...long].filter((text) => text !== "").join("\n\n"),
    facts: [
      ...message.facts,
      ...fields.filter(isShort).map(({ name, value }) => ({ name, value: cleanLine(value) })),
    ],
  };
}
