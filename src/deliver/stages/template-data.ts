/**
 * Builds the data that a template gets for an event: only the fields that the template may read.
 * Copying and parsing the whole event would take longer than rendering the template.
 */
import { isoTime } from "../../model/clock.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import { ownValue } from "../../model/own-value.ts";
import type { MessageTemplate } from "../../model/template.ts";

/**
 * Returns the template's data as JSON. Calls `message` only if the template may read the event's
 * default message, because building that message is the slowest part.
 */
export type TemplateData = (event: OutboxEvent, message: () => NeutralMessage) => string;

/**
 * A tree of the field names that a template reads. `whole` means that it reads everything below a
 * name.
 */
type Reads = Map<string, Reads> | "whole";

export function createTemplateData({ reads }: Pick<MessageTemplate, "reads">): TemplateData {
  const tree = reads === undefined ? "whole" : treeOf(reads);
  return (event, message) => {
    const names =
      tree === "whole"
        ? new Map([...Object.keys(event.event.body), ...OF_ALL].map((name) => [name, tree]))
        : tree;
    return JSON.stringify(pick((name) => fieldOf(event, message, name), names));
  };
}

function treeOf(paths: readonly (readonly string[])[]): Reads {
  if (paths.some(({ length }) => length === 0)) return "whole";
  const below = new Map<string, (readonly string[])[]>();
  for (const [name = "", ...rest] of paths) below.set(name, [...(below.get(name) ?? []), rest]);
  return new Map([...below].map(([name, rest]) => [name, treeOf(rest)]));
}

function pick(
  valueOf: (name: string) => Json | undefined,
  names: Exclude<Reads, "whole">,
): JsonObject {
  // The object has no prototype, because otherwise a key `__proto__` would be lost.
  const found: Record<string, Json> = Object.create(null);
  for (const [name, below] of names) {
    const value = valueOf(name);
    if (value === undefined) continue;
    found[name] =
      below === "whole" || !isObject(value) ? value : pick((part) => ownValue(value, part), below);
  }
  return found;
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields that the data of every event has, in addition to those of the event's body. */
const OF_ALL = ["labels", "event", "message"];

/**
 * Returns a top-level field of the data. The fields of the event's body have the same names and
 * values as in `where`.
 */
function fieldOf(
  { event, watches }: OutboxEvent,
  message: () => NeutralMessage,
  name: string,
): Json | undefined {
  if (name === "labels") return event.labels;
  if (name === "event") return { ...identityOf(event), watches };
  if (name === "message") return readingOf(message());
  return ownValue(event.body as JsonObject, name);
}

const readingOf = ({ title, body, url = "" }: NeutralMessage): JsonObject => ({ title, body, url });

const identityOf = ({ id, type, watch, subject, occurredAtMs, detectedAtMs }: ChirpEvent) => ({
  id,
  type,
  watch,
  subject,
  occurred_at: isoTime(occurredAtMs),
  detected_at: isoTime(detectedAtMs),
});
