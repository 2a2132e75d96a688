/**
 * The message of the daemon's own events, and of any event whose body lacks what its kind requires.
 * These are rendered plainly, never dropped.
 */
import type { Json } from "../../model/json.ts";
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import { baseMessage } from "./event-message.ts";

/**
 * Reads `body.message`, the title, `body.hint`, which says what to do, and `body.url`. The body's
 * other texts, numbers and flags become facts.
 */
export function opsAlertMessage(outboxEvent: OutboxEvent): NeutralMessage {
  const { event } = outboxEvent;
  const { message, hint, url, ...rest } = event.body as Readonly<Record<string, Json | undefined>>;
  return {
    ...baseMessage(outboxEvent),
    title: typeof message === "string" ? message : event.type,
    body: typeof hint === "string" ? hint : "",
    ...(typeof url === "string" ? { url } : {}),
    facts: Object.entries(rest).flatMap(([name, value]) =>
      isPlain(value) ? [{ name, value: String(value) }] : [],
    ),
  };
}

const isPlain = (value: Json | undefined): value is string | number | boolean =>
  value !== null && value !== undefined && typeof value !== "object";
