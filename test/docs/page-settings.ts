/** Renders docs/settings.md: every key besides watches and sinks. */
import { DEFAULTS } from "../../src/config/defaults.ts";
import { keysAlike, keyTable, SCHEMA, sectionOf, type Schema, typesOf } from "./key-table.ts";
import { code, GENERATED, page, sentence } from "./markdown.ts";

/**
 * Lists the sections in the order of the page. `route`, `time_intervals` and `reports` hold entries of one shape, shown
 * once.
 */
const SECTIONS = ["api", "state", "server", "ops", "chat", "links"] as const;

const routeSchema = (): Schema => SCHEMA.$defs?.["route"] ?? {};

function intervalSchema(): Schema {
  const { additionalProperties } = sectionOf("time_intervals");
  return (typeof additionalProperties === "object" ? additionalProperties.items : undefined) ?? {};
}

function reportSchema(): Schema {
  const { additionalProperties } = sectionOf("reports");
  return typeof additionalProperties === "object" ? additionalProperties : {};
}

/** Keys that routes share with sinks. They are described once, on the page of sinks. */
const KEYS_OF_SINKS = keysAlike(
  routeSchema(),
  typesOf("sinks").find((one) => one.properties?.["type"]?.const === "console") ?? {},
);

export const settingsPage = (): string =>
  page(
    GENERATED,
    "# Settings",
    "Every key except those of [watches](watches.md) and [sinks](sinks.md). All of them are optional. [The configuration by example](configuration.md) shows them in use.",
    "A number or a boolean may also be a variable, as in `monthly: ${QUOTA}`. Durations are written `30s`, `5m`, `1h30m` or `2d`.",
    ...SECTIONS.map((name) => [
      `## ${name}`,
      sentence(sectionOf(name).description ?? ""),
      keyTable(sectionOf(name)),
    ]),
    "## route",
    `${sentence(routeSchema().description ?? "")} The root takes what no child took. Children inherit \`group_by\`, \`group_wait\` and \`group_interval\`; mutes, throttles and \`continue\` are each route's own.`,
    keyTable(routeSchema(), (name) => !KEYS_OF_SINKS.includes(name), DEFAULTS.route),
    `A route also takes these keys of [every sink](sinks.md#keys-of-every-sink), for what passes it: ${KEYS_OF_SINKS.map(code).join(", ")}.`,
    "## time_intervals",
    `${sentence(sectionOf("time_intervals").description ?? "")} Each name holds a list of these; one that matches is enough.`,
    keyTable(intervalSchema()),
    "## reports",
    `${sentence(sectionOf("reports").description ?? "")} Each name holds one of these. [Reports](reports.md) shows one.`,
    keyTable(reportSchema()),
    "## defaults",
    sentence(sectionOf("defaults").description ?? ""),
    "- `defaults.watch` takes the keys of every watch except `moved_from`. `labels` and `include` are merged key by key.\n- `defaults.sink` takes one map per sink type. A sink with a secret of its own drops the default ones.",
  );
