/**
 * Builds an entry under `sinks`: merges in the defaults of its type, resolves secrets, checks it,
 * and converts it to a SinkConfig.
 */
import { parseDuration } from "../../model/duration.ts";
import type { Environment } from "../../model/files.ts";
import type { Throttle } from "../../route/route.ts";
import type { Matches, SinkType } from "../../sinks/kind/sink-type.ts";
import type { WatchType } from "../../watches/watch-type.ts";
import {
  buildEscalate,
  buildShaping,
  type EscalateDeps,
  type EscalateOwner,
  type ShapingDeps,
} from "./build-shaping.ts";
import { type BuiltTemplates, buildWording } from "./build-templates.ts";
import { buildThrottle } from "./build-throttle.ts";
import { eventSinksOf, warnOfUnshownKeys } from "./check-sinks.ts";
import { resolveDataPath } from "../text/state-path.ts";
import { checkProgram, type ProgramDeps } from "../check/check-program.ts";
import { checkValue } from "../check/check-value.ts";
import type { SinkConfig } from "../config.ts";
import { DEFAULTS } from "../defaults.ts";
import { configPlace, type Report } from "../report.ts";
import { resolveSecrets, type SecretDeps } from "./secret-files.ts";
import { commonSinkSchema, COMMON_SINK_KEYS, type WrittenThrottle } from "../schema/sink-schema.ts";
import {
  childOf,
  type Entry,
  entryOf,
  findNode,
  isUnresolved,
  type MapNode,
  type Node,
  offsetInto,
  type Place,
} from "../tree.ts";
import { findType, type KnownKeys, splitKeys } from "../check/typed-entry.ts";
import type { LoadWhere } from "../where/where.ts";
import { anyBody } from "../where/where-types.ts";

export interface SinkDepsOfConfig extends SecretDeps, ShapingDeps, ProgramDeps, EscalateDeps {
  readonly env: Environment;
  readonly sinkTypes: readonly SinkType<any>[];
  readonly where: LoadWhere;
  readonly templates: BuiltTemplates;
  /**
   * The watch types. Conditions in a sink's settings are checked against the fields of their
   * events.
   */
  readonly watchTypes: readonly WatchType<any>[];
}

/**
 * Builds the sink. Resolves to undefined if it has errors, which are reported. Its `settings` are
 * undefined if a lenient load left a secret unresolved.
 */
export async function buildSink(
  entry: Entry,
  defaults: Node | undefined,
  deps: SinkDepsOfConfig,
): Promise<SinkConfig | undefined> {
  const { report } = deps;
  if (entry.node.kind !== "map") {
    report.error(
      entry.keyPlace,
      "sink-map",
      `the sink \`${entry.key}\` must be a map with a \`type\``,
    );
    return undefined;
  }
  const type = findType(entry.node, entry, { kind: "sink", types: deps.sinkTypes, report });
  if (type === undefined) return undefined;
  const whole = withDefaults(entry.node, childOf(defaults, type.type), type);
  const { map } = await resolveSecrets(whole, type.secrets, deps, type.mayBeLiteral);
  const split = splitKeys(map, { ...keysOf(type), schema: type.schema }, report);
  for (const { key, node } of split.own.entries.values())
    if (!type.secrets.includes(key)) refuseTemplates(key, node, report);
  const common = checkValue(commonSinkSchema, split.common, {
    report,
    place: entry.keyPlace,
    name: entry.key,
  });
  const isBlank = deps.lenient && isUnresolved(split.own);
  const settings = isBlank
    ? undefined
    : checkValue(type.schema, split.own, { report, place: entry.keyPlace, name: entry.key });
  if (common === undefined || (settings === undefined && !isBlank)) return undefined;
  const doubts = settings === undefined ? [] : (type.doubts?.(entry.key, settings) ?? []);
  for (const { rule, key, missing, message } of doubts) {
    // The settings lack a key that has an error. If the file has the key, it is not really missing.
    if (placeOf(whole, missing) === undefined)
      report.warn(placeOf(whole, key) ?? entry.keyPlace, rule, message);
  }
  if (settings !== undefined && !deps.lenient) checkPrograms(type, settings, split.own, deps);
  const throttle = throttleOf(common.throttle, type.chat);
  const own = { name: entry.key, type: type.type };
  warnOfUnshownKeys(whole, [own.name], eventSinksOf([own], [type]), report);
  return {
    name: entry.key,
    type: type.type,
    settings: withPaths(type, await compileConditions(type, settings, split.own, deps), deps),
    retryForMs:
      common.retry_for ??
      parseDuration((type.chat ? DEFAULTS.chatSink : DEFAULTS.sink).retry_for) ??
      0,
    movedFrom: common.moved_from,
    ...(common.actions_link === true ? { actionsLink: true } : {}),
    throttle,
    ...buildShaping(common, { map: whole, keyPlace: entry.keyPlace }, deps),
    ...(await buildEscalate(common, escalateOwner(entry, whole), deps)),
    ...buildWording(common, { map: whole, keyPlace: entry.keyPlace }, deps),
    declaredAt: configPlace(entry.keyPlace),
  };
}

const escalateOwner = ({ key, keyPlace }: Entry, map: MapNode): EscalateOwner => ({
  map,
  keyPlace,
  what: `the sink \`${key}\``,
  sinks: [key],
});

/**
 * Adds defaults. A sink's own key replaces the default with the same name, with or without `_file`.
 * It also replaces the defaults for its alternatives, as `webhook_url` does for `token`.
 */
function withDefaults(map: MapNode, defaults: Node | undefined, type: SinkType<any>): MapNode {
  if (defaults?.kind !== "map") return map;
  const plain = (key: string) => key.replace(/_file$/, "");
  const alternatives = type.alternatives ?? [];
  const own = new Set([...map.entries.keys()].map(plain));
  const isReplaced = (key: string) =>
    own.has(plain(key)) ||
    (alternatives.includes(plain(key)) && alternatives.some((other) => own.has(other)));
  const inherited = [...defaults.entries].filter(([key]) => !isReplaced(key));
  return { ...map, entries: new Map([...map.entries, ...inherited]) };
}

const keysOf = (type: SinkType<any>): KnownKeys => ({
  own: Object.keys(type.schema.shape),
  common: COMMON_SINK_KEYS,
  besides: type.secrets.map((key) => `${key}_file`),
});

/** Returns every key that is valid in a sink of this type. */
export function sinkKeys(type: SinkType<any>): readonly string[] {
  const { own, besides = [], common } = keysOf(type);
  return [...own, ...besides, ...common];
}

/**
 * Compiles the conditions in a sink's settings, if there are any, and returns the settings with
 * them.
 */
async function compileConditions(
  type: SinkType<any>,
  settings: unknown,
  own: MapNode,
  deps: SinkDepsOfConfig,
): Promise<unknown> {
  const written = settings === undefined ? [] : (type.conditions?.written(settings) ?? []);
  if (written.length === 0) return settings;
  const where = await deps.where();
  const compiled = new Map<string | undefined, Matches>();
  for (const { path, text } of written) {
    const condition = where.compile(text, anyBody(deps.watchTypes));
    if ("matches" in condition)
      compiled.set(text, (body, labels = {}) => condition.matches(body, labels));
    else {
      const { place } = findNode(own, path).node ?? own;
      deps.report.error(
        offsetInto(place, text, condition.offset),
        condition.rule,
        condition.message.replace("`where`", `\`${path.at(-1)}\``),
      );
    }
  }
  return type.conditions?.withMatches(settings, (text) => compiled.get(text));
}

/**
 * Refuses placeholders in settings. They are not replaced there, so `#{{ labels.team }}` would be
 * taken as the name of a channel. The arguments of a program may contain anything.
 */
function refuseTemplates(key: string, node: Node, report: Report): void {
  if (key === "command") return;
  if (node.kind === "list") for (const item of node.items) refuseTemplates(key, item, report);
  if (node.kind === "map")
    for (const entry of node.entries.values()) refuseTemplates(entry.key, entry.node, report);
  const found =
    node.kind === "scalar" && typeof node.value === "string"
      ? /\{\{.*?\}\}/.exec(node.value)?.[0]
      : undefined;
  if (found === undefined) return;
  const message = `\`${key}\` is used as written, because \`${found}\` is replaced only under \`templates\`: write a sink for each value, and a route to each sink`;
  report.error(node.place, "template-elsewhere", message);
}

function checkPrograms(
  type: SinkType<any>,
  settings: unknown,
  own: MapNode,
  deps: SinkDepsOfConfig,
): void {
  for (const destination of type.destinations(settings))
    if (destination.kind === "program")
      checkProgram(destination.path, findNode(own, ["command"]).place, deps);
}

/** Returns the settings with absolute paths of the files that the sink writes. */
function withPaths(
  { paths = [] }: SinkType<any>,
  settings: unknown,
  deps: SinkDepsOfConfig,
): unknown {
  const written = (settings ?? {}) as Readonly<Record<string, unknown>>;
  const resolved = paths.flatMap((key): readonly (readonly [string, string])[] => {
    const path = written[key];
    return typeof path === "string" ? [[key, resolveDataPath(path, deps)]] : [];
  });
  return resolved.length === 0 ? settings : { ...written, ...Object.fromEntries(resolved) };
}

/** Returns the place of a setting's key or of its `_file` key; undefined if neither is written. */
const placeOf = (map: MapNode, key = ""): Place | undefined =>
  (entryOf(map, key) ?? entryOf(map, `${key}_file`))?.keyPlace;

function throttleOf(written: WrittenThrottle, isChat: boolean): Throttle | undefined {
  if (written === false) return undefined;
  if (written !== undefined) return buildThrottle(written);
  const { limit, interval, on_exceed } = DEFAULTS.chatSink.throttle;
  return isChat
    ? buildThrottle({ limit, interval: parseDuration(interval) ?? 0, on_exceed })
    : undefined;
}
