/** What a template is given of an event: what it may read. All of an event would take longer to copy and parse than to render. */
import { isoTime } from "../../model/clock.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import type { MessageTemplate } from "../../model/template.ts";

/** As JSON. `message` is called where the template may read how the event reads by default, which takes longest of all. */
export type TemplateData = (event: OutboxEvent, message: () => NeutralMessage) => string;

/** Names by what is read below them; `whole`: everything. */
type Reads = Map<string, Reads> | "whole";

export function createTemplateData({ reads }: Pick<MessageTemplate, "reads">): TemplateData {
  const tree = reads === undefined ? "whole" : treeOf(reads);
  const usesMessage = tree === "whole" || tree.has("message");
  return (event, message) => {
    const all = { ...bodyOf(event), ...(usesMessage ? { message: readingOf(message()) } : {}) };
    return JSON.stringify(tree === "whole" ? all : pick(all, tree));
  };
}

function treeOf(paths: readonly (readonly string[])[]): Reads {
  if (paths.some(({ length }) => length === 0)) return "whole";
  const below = new Map<string, (readonly string[])[]>();
  for (const [name = "", ...rest] of paths) below.set(name, [...(below.get(name) ?? []), rest]);
  return new Map([...below].map(([name, rest]) => [name, treeOf(rest)]));
}

function pick(from: JsonObject, names: Exclude<Reads, "whole">): JsonObject {
  const found = [...names].flatMap(([name, below]): [string, Json | undefined][] => {
    const value = Object.hasOwn(from, name) ? from[name] : undefined;
    return value === undefined ? [] : [[name, below === "whole" || !isObject(value) ? value : pick(value, below)]];
  });
  return Object.fromEntries(found);
}

const isObject = (value: Json): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** The event's body, as `where` sees it, and a few names that all events have. */
const bodyOf = ({ event, watches }: OutboxEvent): JsonObject => ({
  ...event.body,
  labels: event.labels,
  event: { ...identityOf(event), watches },
});

const readingOf = ({ title, body, url = "" }: NeutralMessage): JsonObject => ({ title, body, url });

const identityOf = ({ id, type, watch, subject, occurredAtMs, detectedAtMs }: ChirpEvent) => ({
  id,
  type,
  watch,
  subject,
  occurred_at: isoTime(occurredAtMs),
  detected_at: isoTime(detectedAtMs),
});
