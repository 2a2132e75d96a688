/**
 * Builds the named message templates: parses each, and checks that the events that it is for have
 * the fields that it uses.
 */
import { BUILT_IN_LABELS } from "../../model/event.ts";
import { coversEvent, type MessageTemplate, type Region } from "../../model/template.ts";
import type { FieldTree, TemplateProblem } from "../../render/templates/check-template.ts";
import type { WatchType } from "../../watches/watch-type.ts";
import { checkValue } from "../check/check-value.ts";
import type { Report } from "../report.ts";
import type { Rule } from "../rules.ts";
import { templateSchema, type WrittenRegion } from "../schema/template-schema.ts";
import { didYouMean } from "../suggest.ts";
import { placeInText } from "../text/place-in-text.ts";
import {
  childOf,
  type Entry,
  entriesOf,
  findNode,
  type MapNode,
  type Node,
  type Place,
} from "../tree.ts";
import { anyBody, variablesOf } from "../where/where-types.ts";

export interface TemplateBuildDeps {
  readonly report: Report;
  readonly watchTypes: readonly WatchType<any>[];
  /** The names of the labels that watches set under `labels`, or that `enrich` may add. */
  readonly labels: readonly string[];
}

/** The templates by name. The value is undefined for a template with errors. */
export type BuiltTemplates = ReadonlyMap<string, MessageTemplate | undefined>;

/**
 * The fields of events about the volume of a watch. Watch types do not list these events, nor the
 * events about deleted and edited tweets.
 */
const VOLUME: FieldTree = {
  volume: {
    count: "int",
    usual: "double",
    window: "string",
    for: "string",
    last_event_at: "string",
  },
};
const OTHER_EVENTS: Readonly<Record<string, FieldTree>> = {
  "tweet.deleted": {},
  "tweet.edited": { previous: "dyn" },
  "volume.spike": VOLUME,
  "volume.silent": VOLUME,
};

/** The fields that every template can use in addition to those of the event's body. */
const COMMON_FIELDS: FieldTree = {
  event: {
    id: "string",
    type: "string",
    watch: "string",
    watches: "list<string>",
    subject: "string",
    occurred_at: "string",
    detected_at: "string",
  },
  message: { title: "string", body: "string", url: "string" },
};

export async function buildTemplates(
  section: Node | undefined,
  deps: TemplateBuildDeps,
): Promise<BuiltTemplates> {
  const built = new Map<string, MessageTemplate | undefined>();
  if (section !== undefined && section.kind !== "map") {
    if (section.kind !== "scalar" || section.value !== null)
      deps.report.error(section.place, "wrong-type", "`templates` must be a map of names");
    return built;
  }
  for (const entry of entriesOf(section))
    if (!entry.key.startsWith("x-")) built.set(entry.key, await buildTemplate(entry, deps));
  return built;
}

async function buildTemplate(
  entry: Entry,
  deps: TemplateBuildDeps,
): Promise<MessageTemplate | undefined> {
  const { report } = deps;
  if (entry.node.kind !== "map") {
    report.error(
      entry.keyPlace,
      "wrong-type",
      `the template \`${entry.key}\` must be a map with \`events\`, and a \`title\` or a \`body\``,
    );
    return undefined;
  }
  const written = checkValue(templateSchema, entry.node, {
    report,
    place: entry.keyPlace,
    name: entry.key,
  });
  if (written === undefined) return undefined;
  const { events, title, body } = written;
  const template = {
    name: entry.key,
    events,
    title,
    body,
  };
  const known = checkEvents(template, entry.node, deps);
  const labels = Object.fromEntries(
    [...BUILT_IN_LABELS, ...deps.labels].map((label) => [label, "dyn"]),
  );
  // If all its events are unknown, the fields of all events are allowed, so that only its other
  // errors are reported in addition.
  const fields = {
    ...fieldsOf({ ...template, events: known.length > 0 ? known : ["*"] }, deps.watchTypes),
    labels,
  };
  for (const [key, text] of Object.entries({ title, body })) {
    if (text !== undefined) await checkText(text, { key, map: entry.node, fields }, report);
  }
  const reads = await readsOfAll([title, body]);
  return { ...template, reads };
}

/** Returns the types of all events that the daemon can create for a watch. */
function eventsOf(watchTypes: readonly WatchType<any>[]): readonly string[] {
  return [
    ...new Set([...watchTypes.flatMap(({ events }) => events), ...Object.keys(OTHER_EVENTS)]),
  ].sort();
}

/** Reports event types that no watch type has, and returns the others. */
function checkEvents(
  { events }: MessageTemplate,
  map: MapNode,
  { report, watchTypes }: TemplateBuildDeps,
): readonly string[] {
  const known = eventsOf(watchTypes);
  const families = [...new Set(known.map((event) => `${event.slice(0, event.indexOf("."))}.*`))];
  const unknown = [...events.entries()].filter(
    ([, pattern]) => !known.some((event) => coversEvent({ events: [pattern] }, event)),
  );
  for (const [index, pattern] of unknown) {
    const hint =
      didYouMean(pattern, [...known, ...families]) || `; known here: ${families.join(", ")}`;
    const message = `no watch has an event "${pattern}"${hint}`;
    report.error(findNode(map, ["events", index]).place, "template-event", message);
  }
  return events.filter((_, index) => !unknown.some(([at]) => at === index));
}

/** Returns the fields that the events of a template may have. */
function fieldsOf(template: MessageTemplate, watchTypes: readonly WatchType<any>[]): FieldTree {
  const types = watchTypes.filter(({ events }) =>
    events.some((event) => coversEvent(template, event)),
  );
  const tweets = ["tweet.deleted", "tweet.edited"].some((event) => coversEvent(template, event))
    ? watchTypes.filter(({ body }) => body["tweet"] === "tweet")
    : [];
  const others = Object.entries(OTHER_EVENTS).filter(([event]) => coversEvent(template, event));
  return {
    ...variablesOf(anyBody([...types, ...tweets])),
    ...Object.assign({}, ...others.map(([, fields]) => fields)),
    ...COMMON_FIELDS,
  };
}

const RULES_OF: Readonly<Record<TemplateProblem["kind"], Rule>> = {
  syntax: "template-syntax",
  refused: "template-refused",
  name: "template-name",
};

interface WrittenText {
  readonly key: string;
  readonly map: MapNode;
  readonly fields: FieldTree;
}

/**
 * Checks a text. The template engine is loaded only when there is a text to check, because most
 * files have no template.
 */
async function checkText(
  text: string,
  { key, map, fields }: WrittenText,
  report: Report,
): Promise<void> {
  const { checkTemplate } = await import("../../render/templates/check-template.ts");
  const place = childOf(map, key)?.place ?? map.place;
  for (const problem of checkTemplate(text, fields)) {
    const { kind, start, unknown } = problem;
    const hint =
      unknown === undefined
        ? ""
        : didYouMean(unknown.word, unknown.known) || knownHint(unknown.known);
    const at = placeInText(place, text, start);
    // An enrichment may return labels that are not declared anywhere.
    if (unknown?.holder === "labels")
      report.warn(
        at,
        "template-label",
        `\`${key}\`: no event has a label "${unknown.word}"${hint}\n${excerpt(text, problem)}`,
      );
    else
      report.error(
        at,
        RULES_OF[kind],
        `\`${key}\`: ${problem.message}${hint}\n${excerpt(text, problem)}`,
      );
  }
}

/**
 * Returns the paths of the fields that the texts read. Undefined if that cannot be known, or if a
 * text has errors.
 */
async function readsOfAll(
  texts: readonly (string | undefined)[],
): Promise<MessageTemplate["reads"]> {
  const { pathsRead } = await import("../../render/templates/check-template.ts");
  try {
    const reads = texts.map((text) => (text === undefined ? [] : pathsRead(text)));
    return reads.some((paths) => paths === undefined)
      ? undefined
      : reads.flatMap((paths) => paths ?? []);
  } catch {
    return undefined;
  }
}

const knownHint = (known: readonly string[]): string =>
  known.length > 40 ? "" : `; known here: ${known.join(", ")}`;

/** Returns the line of the text that has the problem, with carets below the problem. */
function excerpt(text: string, { start, end }: TemplateProblem): string {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", lineStart);
  const line = text.slice(lineStart, lineEnd < 0 ? undefined : lineEnd);
  const width = Math.max(1, Math.min(end, lineStart + line.length) - start);
  return `  ${line}\n  ${" ".repeat(start - lineStart)}${"^".repeat(width)}`;
}

interface Holder {
  readonly map: MapNode;
  readonly keyPlace: Place;
}

export interface TemplateNameDeps {
  readonly templates: BuiltTemplates;
  readonly report: Report;
}

/** Returns the template that a sink or a route names. An unknown name is reported. */
export function buildTemplateName(
  { template }: { readonly template?: string | undefined },
  { map, keyPlace }: Holder,
  { templates, report }: TemplateNameDeps,
): { readonly template?: string } {
  if (template === undefined) return {};
  if (templates.has(template)) return { template };
  const known = [...templates.keys()];
  const hint =
    didYouMean(template, known) ||
    (known.length === 0
      ? "; none is defined under `templates`"
      : `; known here: ${known.join(", ")}`);
  report.error(
    childOf(map, "template")?.place ?? keyPlace,
    "unknown-template",
    `there is no template "${template}"${hint}`,
  );
  return {};
}

/** Returns the template and region of a sink's messages. */
export function buildWording(
  common: WrittenRegion & { readonly template?: string | undefined },
  holder: Holder,
  deps: TemplateNameDeps,
): { readonly template?: string; readonly region?: Region } {
  const { locale, timezone } = common;
  const region: Region = {
    locale,
    timezone,
  };
  return {
    ...buildTemplateName(common, holder, deps),
    ...(Object.keys(region).length === 0 ? {} : { region }),
  };
}
