/**
 * Builds the JSON Schema with which editors complete and check configurations. It is made from the
 * schemas with which configurations are loaded.
 */
import { z } from "zod";
import type { SinkType } from "../../sinks/kind/sink-type.ts";
import { isTweetFeed, type WatchType } from "../../watches/watch-type.ts";
import { DEFAULTS } from "../defaults.ts";
import { CHAT_SECRETS, chatSchema } from "../schema/chat-schema.ts";
import { routeSchema, timeIntervalSchema } from "../schema/route-schema.ts";
import {
  API_SECRETS,
  apiSchema,
  linksSchema,
  opsSchema,
  SERVER_SECRETS,
  serverSchema,
  STATE_SECRETS,
  stateSchema,
  versionSchema,
} from "../schema/settings-schema.ts";
import { reportSchema } from "../schema/report-schema.ts";
import { templateSchema } from "../schema/template-schema.ts";
import { commonSinkSchema } from "../schema/sink-schema.ts";
import { commonWatchSchema, watchDefaultsSchema } from "../schema/watch-schema.ts";

type Schema = Record<string, unknown>;

/**
 * Returns the whole schema, which is stored as config/watches.schema.json with a line for each
 * value and without indentation, which would take more than a third of the file.
 */
export function buildJsonSchema(
  watchTypes: readonly WatchType<any>[],
  sinkTypes: readonly SinkType<any>[],
): Schema {
  const watch = { oneOf: watchTypes.map(watchSchema) };
  const sink = { oneOf: sinkTypes.map((type) => sinkSchema(type, ["type"])) };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "chirpwatch configuration",
    type: "object",
    required: ["watches", "sinks"],
    additionalProperties: false,
    patternProperties: FREE_KEYS,
    properties: {
      version: { ...toJson(versionSchema), description: "Version of the configuration language." },
      api: withFiles(toJson(apiSchema), API_SECRETS, "The data service."),
      state: withFiles(toJson(stateSchema), STATE_SECRETS, "Where the state is stored."),
      server: withFiles(toJson(serverSchema), SERVER_SECRETS, "Status page, metrics and JSON API."),
      ops: { ...toJson(opsSchema), description: "Where alerts about the daemon itself go." },
      chat: chatJson(),
      links: { ...toJson(linksSchema), description: "How permalinks are built, for all sinks." },
      templates: {
        ...mapOf(toJson(templateSchema)),
        description: "Named message templates in Liquid, for sinks and routes.",
      },
      reports: {
        ...mapOf(toJson(reportSchema)),
        description: "Scheduled reports on what the watches found, in numbers.",
      },
      time_intervals: {
        ...mapOf(toJson(timeIntervalSchema)),
        description: "Named hours and days, for `mute_time_intervals` and `active_time_intervals`.",
      },
      defaults: {
        type: "object",
        description: "Defaults for every watch, and for every sink of a type.",
        additionalProperties: false,
        properties: { watch: commonKeys(watchDefaultsSchema), sink: sinkDefaults(sinkTypes) },
      },
      watches: { ...mapOf(watch), description: "What to watch, by id." },
      route: { $ref: "#/$defs/route" },
      sinks: { ...mapOf(sink), description: "Where alerts go, by name." },
    },
    $defs: { route: { ...routeJson(), description: "Which sinks an event goes to." } },
  };
}

/** Returns the schema of `chat`, whose secrets lie in its sections. */
function chatJson(): Schema {
  const json = toJson(chatSchema);
  const sections = propertiesOf(json) as Record<string, Schema>;
  const withSecrets = Object.entries(CHAT_SECRETS).map(([key, secrets]) => {
    const section = sections[key] ?? {};
    return [key, withFiles(section, secrets, String(section["description"]))];
  });
  return {
    ...json,
    description: "Listens for clicks below messages in chats, and says who may do what.",
    properties: { ...sections, ...Object.fromEntries(withSecrets) },
  };
}

const FREE_KEYS = { "^x-": {} };

const mapOf = (value: Schema): Schema => ({
  type: "object",
  patternProperties: FREE_KEYS,
  additionalProperties: value,
});

function toJson(schema: z.ZodType): Schema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => allowVariables(jsonSchema),
  });
  return json;
}

/**
 * Returns the schema of a route, which contains routes. zod's reference to its own root is
 * replaced, because in the whole schema a route is not the root.
 */
function routeJson(): Schema {
  return JSON.parse(
    JSON.stringify(toJson(routeSchema)).replaceAll('"$ref":"#"', '"$ref":"#/$defs/route"'),
  ) as Schema;
}

/** Allows a variable in place of a number or a boolean, as in `monthly: ${QUOTA}`. */
function allowVariables(json: Schema): void {
  if (json["type"] !== "number" && json["type"] !== "integer" && json["type"] !== "boolean") return;
  if ("const" in json) return;
  const { description, default: standard, ...value } = json;
  for (const key of Object.keys(value)) delete json[key];
  json["anyOf"] = [value, { type: "string", pattern: "\\$\\{.+\\}" }];
  if (description !== undefined) json["description"] = description;
  if (standard !== undefined) json["default"] = standard;
}

function watchSchema(type: WatchType<any>): Schema {
  const common = isTweetFeed(type)
    ? commonWatchSchema
    : commonWatchSchema.omit({ include: true, recheck: true });
  const own = allowFiles(toJson(type.schema()), ["accounts"]);
  return {
    type: "object",
    description: type.summary,
    required: ["type", ...namesOf(own["required"])],
    additionalProperties: false,
    patternProperties: FREE_KEYS,
    properties: {
      type: { const: type.type, description: type.summary },
      ...propertiesOf(own),
      ...propertiesOf(commonKeys(common)),
    },
  };
}

/**
 * Allows `{ file: path }` as an item of the lists at `keys`. The schemas do not know it, because
 * files are expanded before a list is checked.
 */
function allowFiles(own: Schema, keys: readonly string[]): Schema {
  const file = {
    type: "object",
    required: ["file"],
    additionalProperties: false,
    properties: { file: { type: "string", description: "One item per line; # starts a comment." } },
  };
  const lists = Object.entries(propertiesOf(own) as Readonly<Record<string, Schema>>).filter(
    ([key]) => keys.includes(key),
  );
  const allowed = lists.map(([key, list]) => [
    key,
    { ...list, items: { anyOf: [list["items"], file] } },
  ]);
  return { ...own, properties: { ...propertiesOf(own), ...Object.fromEntries(allowed) } };
}

/** Returns the schema of the keys of every watch, and allows files in the lists of `ignore`. */
function commonKeys(schema: z.ZodType): Schema {
  const own = toJson(schema);
  const { ignore, ...others } = propertiesOf(own) as Readonly<Record<string, Schema>>;
  return ignore === undefined
    ? own
    : { ...own, properties: { ...others, ignore: allowFiles(ignore, ["authors", "words"]) } };
}

function sinkSchema(type: SinkType<any>, required: readonly string[]): Schema {
  const own = withFiles(toJson(type.schema), type.secrets, type.summary);
  const common = propertiesOf(toJson(commonSinkSchema)) as Record<string, Schema>;
  const retryFor = {
    ...common["retry_for"],
    default: (type.chat ? DEFAULTS.chatSink : DEFAULTS.sink).retry_for,
  };
  return {
    ...own,
    required: [...required, ...(required.length > 0 ? namesOf(own["required"]) : [])],
    patternProperties: FREE_KEYS,
    properties: {
      ...(required.length > 0 ? { type: { const: type.type, description: type.summary } } : {}),
      ...propertiesOf(own),
      ...common,
      retry_for: retryFor,
    },
  };
}

const sinkDefaults = (types: readonly SinkType<any>[]): Schema => ({
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(types.map((type) => [type.type, sinkSchema(type, [])])),
});

/** Adds `<key>_file` for every secret. The key itself is then not required. */
function withFiles(json: Schema, secrets: readonly string[], description: string): Schema {
  const files = secrets.map((key) => [
    `${key}_file`,
    { type: "string", description: `A file that contains \`${key}\`.` },
  ]);
  const required = namesOf(json["required"]).filter((key) => !secrets.includes(key));
  return {
    ...json,
    description,
    required,
    properties: { ...propertiesOf(json), ...Object.fromEntries(files) },
  };
}

const propertiesOf = (json: Schema): Schema => (json["properties"] ?? {}) as Schema;

const namesOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? (value as string[]) : [];
