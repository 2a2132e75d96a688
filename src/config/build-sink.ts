/** One entry under `sinks`: defaults of its type merged under, secrets resolved, checked, made into a SinkConfig. */
import { parseDuration } from "../model/duration.ts";
import type { EventBody } from "../model/event.ts";
import type { Throttle } from "../route/route.ts";
import type { SinkType } from "../sinks/sink-type.ts";
import type { WatchType } from "../watches/watch-type.ts";
import { checkValue } from "./check-value.ts";
import type { SinkConfig } from "./config.ts";
import { DEFAULTS } from "./defaults.ts";
import { lineColumn } from "./report.ts";
import { isPrivate } from "./scalar-schemas.ts";
import { resolveSecrets, type SecretDeps } from "./secret-files.ts";
import { commonSinkSchema, COMMON_SINK_KEYS, type WrittenThrottle } from "./sink-schema.ts";
import { didYouMean } from "./suggest.ts";
import { childOf, type Entry, findNode, isUnresolved, type MapNode, type Node, offsetInto } from "./tree.ts";
import type { LoadWhere } from "./where.ts";
import { anyBody } from "./where-types.ts";
import { unknownKey } from "./zod-words.ts";

export interface SinkDepsOfConfig extends SecretDeps {
  readonly sinkTypes: readonly SinkType<any>[];
  readonly where: LoadWhere;
  /** Their events are what a sink's own conditions see. */
  readonly watchTypes: readonly WatchType<any>[];
}

/** The sink, or undefined after complaining. `settings` is undefined where the demo left its secrets unresolved. */
export async function buildSink(entry: Entry, defaults: Node | undefined, deps: SinkDepsOfConfig): Promise<SinkConfig | undefined> {
  const { report } = deps;
  if (entry.node.kind !== "map") {
    report.error(entry.keyPlace, "sink-map", `the sink \`${entry.key}\` must be a map with a \`type\``);
    return undefined;
  }
  const type = findType(entry.node, entry, deps);
  if (type === undefined) return undefined;
  const { map } = await resolveSecrets(withDefaults(entry.node, childOf(defaults, type.type), type), type.secrets, deps);
  const split = splitKeys(map, entry, type, deps);
  const common = checkValue(commonSinkSchema, split.common, { report, place: entry.keyPlace, name: entry.key });
  const isBlank = deps.lenient && isUnresolved(split.own);
  const settings = isBlank ? undefined : checkValue(type.schema, split.own, { report, place: entry.keyPlace, name: entry.key });
  if (common === undefined || (settings === undefined && !isBlank)) return undefined;
  warnOfUnsigned(entry, type, split.own, deps);
  warnOfPrivate(entry, settings, deps);
  const throttle = throttleOf(common.throttle, type.chat);
  return {
    name: entry.key,
    type: type.type,
    settings: await compileMention(settings, split.own, deps),
    retryForMs: common.retry_for ?? parseDuration((type.chat ? DEFAULTS.chatSink : DEFAULTS.sink).retry_for) ?? 0,
    ...(throttle === undefined ? {} : { throttle }),
    declaredAt: { file: entry.keyPlace.file.shown, ...lineColumn(entry.keyPlace) },
  };
}

function findType(map: MapNode, entry: Entry, deps: SinkDepsOfConfig): SinkType<any> | undefined {
  const node = childOf(map, "type");
  const known = deps.sinkTypes.map((one) => one.type);
  if (node === undefined) {
    deps.report.error(entry.keyPlace, "missing-key", `\`type\` is missing in \`${entry.key}\`: write one of ${known.join(", ")}`);
    return undefined;
  }
  const given = node.kind === "scalar" ? String(node.value) : "";
  const type = deps.sinkTypes.find((one) => one.type === given);
  if (type === undefined && !(node.kind === "scalar" && node.unresolved)) {
    deps.report.error(
      node.place,
      "sink-type",
      `"${given}" is not a sink type${didYouMean(given, known) || `; there are ${known.join(", ")}`}`,
    );
  }
  return type;
}

/** A sink that brings one way to prove itself does not inherit another: a webhook_url drops the default token. */
function withDefaults(map: MapNode, defaults: Node | undefined, type: SinkType<any>): MapNode {
  if (defaults?.kind !== "map") return map;
  const isSecret = (key: string) => type.secrets.includes(key.replace(/_file$/, ""));
  const bringsSecret = [...map.entries.keys()].some(isSecret);
  const inherited = [...defaults.entries].filter(([key]) => !map.entries.has(key) && !(bringsSecret && isSecret(key)));
  return { ...map, entries: new Map([...map.entries, ...inherited]) };
}

/** Every key a sink of this type knows. */
export const sinkKeys = (type: SinkType<any>): readonly string[] => [
  ...Object.keys(type.schema.shape),
  ...type.secrets.map((key) => `${key}_file`),
  ...COMMON_SINK_KEYS,
];

function splitKeys(
  map: MapNode,
  entry: Entry,
  type: SinkType<any>,
  deps: SinkDepsOfConfig,
): { readonly common: MapNode; readonly own: MapNode } {
  const ownKeys = Object.keys(type.schema.shape);
  const common = new Map<string, Entry>();
  const own = new Map<string, Entry>();
  for (const [key, child] of map.entries) {
    if (key === "type" || key.startsWith("x-")) continue;
    if (ownKeys.includes(key)) own.set(key, child);
    else if (COMMON_SINK_KEYS.includes(key)) common.set(key, child);
    else {
      const found = unknownKey(child, key, sinkKeys(type), entry.keyPlace);
      deps.report.error(found.place, found.rule, found.message);
    }
  }
  return { common: { ...map, entries: common }, own: { ...map, entries: own } };
}

function warnOfUnsigned(entry: Entry, type: SinkType<any>, own: MapNode, deps: SinkDepsOfConfig): void {
  if (!type.secrets.includes("secret") || own.entries.has("secret")) return;
  deps.report.warn(
    entry.keyPlace,
    "unsigned-webhook",
    `\`${entry.key}\` has no \`secret\`: its messages are not signed, anyone could send the like`,
  );
}

/** Of addresses that are written out: what a name leads to is known when it is asked for. */
function warnOfPrivate(entry: Entry, settings: unknown, deps: SinkDepsOfConfig): void {
  const { url, allow_private } = (settings ?? {}) as { readonly url?: string; readonly allow_private?: boolean };
  if (allow_private !== false || url === undefined || !URL.canParse(url) || !isPrivate(new URL(url).hostname)) return;
  deps.report.warn(
    entry.keyPlace,
    "private-webhook",
    `\`${entry.key}\` points to ${new URL(url).hostname}, a private or loopback address, which webhooks may not reach: set \`allow_private: true\` if it should go there`,
  );
}

/** `mention.when` is an expression over any event's body: compiled here, where expressions are known. */
async function compileMention(settings: unknown, own: MapNode, deps: SinkDepsOfConfig): Promise<unknown> {
  const { mention } = (settings ?? {}) as { readonly mention?: { readonly when?: string } };
  if (mention?.when === undefined) return settings;
  const compiled = (await deps.where()).compile(mention.when, anyBody(deps.watchTypes));
  if ("matches" in compiled) {
    return { ...(settings as object), mention: { ...mention, matches: (body: EventBody) => compiled.matches(body, {}) } };
  }
  const { place } = findNode(own, ["mention", "when"]).node ?? own;
  deps.report.error(offsetInto(place, mention.when, compiled.offset), compiled.rule, compiled.message.replace("`where`", "`when`"));
  return settings;
}

function throttleOf(written: WrittenThrottle, isChat: boolean): Throttle | undefined {
  if (written === false) return undefined;
  if (written !== undefined) return { limit: written.limit, intervalMs: written.interval, onExceed: written.on_exceed };
  const { limit, interval, on_exceed } = DEFAULTS.chatSink.throttle;
  return isChat ? { limit, intervalMs: parseDuration(interval) ?? 0, onExceed: on_exceed } : undefined;
}
