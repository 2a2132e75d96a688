/**
 * Builds an entry under `watches`: merges in the defaults, checks the common keys and those of its
 * type, and converts it to a Watch.
 */
import { BUILT_IN_LABELS } from "../../model/event.ts";
import type { Schedule, Timing } from "../../model/schedule.ts";
import type { Include, Watch } from "../../model/watch.ts";
import { scheduleOf } from "../../plan/timing.ts";
import type { Timetable } from "../../schedule/timetable.ts";
import { isTweetFeed, type WatchType } from "../../watches/watch-type.ts";
import { checkEnrich, type EnrichCheckDeps } from "./build-enrich.ts";
import { expandListFiles, type ListFileDeps } from "./list-files.ts";
import { checkSinks } from "./check-sinks.ts";
import { checkValue } from "../check/check-value.ts";
import type { Report } from "../report.ts";
import { SAMPLE_DAY_MS } from "../check/schedule.ts";
import {
  checkFollowing,
  checkFullPolls,
  checkMaxAge,
  checkOneRhythm,
  checkSchedule,
} from "../check/watch-timing.ts";
import {
  childOf,
  type Entry,
  entriesOf,
  entryOf,
  findNode,
  type MapNode,
  type Node,
  offsetInto,
  type Place,
  withEntries,
} from "../tree.ts";
import { findType, type KnownKeys, splitKeys } from "../check/typed-entry.ts";
import { warnOfWatchDoubts } from "../check/watch-doubts.ts";
import {
  COMMON_WATCH_KEYS,
  type CommonWatch,
  commonWatchSchema,
  TWEET_WATCH_KEYS,
} from "../schema/watch-schema.ts";
import type { LoadWhere, Where } from "../where/where.ts";

export interface WatchDeps extends ListFileDeps, EnrichCheckDeps {
  readonly watchTypes: readonly WatchType<any>[];
  readonly timetable: Timetable;
  readonly where: LoadWhere;
  /** Replaces equal values of many watches by one object. */
  readonly share: <Value extends object>(value: Value) => Value;
  readonly retentionMs: number;
  readonly sinkNames: readonly string[];
  /** Whether the route tree or the only sink receives the events of a watch that names no sink. */
  readonly hasFallback: boolean;
}

/** Builds the watch. Resolves to undefined if it has errors, which are reported. */
export async function buildWatch(
  entry: Entry,
  defaults: Node | undefined,
  deps: WatchDeps,
): Promise<Watch | undefined> {
  const { report } = deps;
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/.test(entry.key)) {
    report.error(
      entry.keyPlace,
      "watch-id",
      `"${entry.key}" is not a watch id: write letters, digits, - _ and ., at most 100`,
    );
  }
  if (entry.node.kind !== "map") {
    report.error(
      entry.keyPlace,
      "watch-map",
      `the watch \`${entry.key}\` must be a map with a \`type\``,
    );
    return undefined;
  }
  const type = findType(entry.node, entry, { kind: "watch", types: deps.watchTypes, report });
  if (type === undefined) return undefined;
  const keys = keysOf(type);
  const written = withoutTweetKeys(withDefaults(entry.node, defaults, type), keys, type, report);
  const whole = await expandListFiles(written, deps);
  const split = splitKeys(whole, { ...keys, schema: type.schema() }, report);
  const common = checkValue(commonWatchSchema, split.common, {
    report,
    place: entry.keyPlace,
    name: entry.key,
  });
  const settings = checkValue(type.schema(), split.own, {
    report,
    place: entry.keyPlace,
    name: entry.key,
  });
  for (const { node } of split.own.entries.values()) warnOfComment(node, report);
  warnOfWatchDoubts(whole, type, report);
  return common === undefined
    ? undefined
    : finish({ entry, map: whole, type, common, settings }, deps);
}

const MERGED_MAPS: readonly string[] = ["labels", "include"];

/**
 * Adds the defaults for the keys that the watch does not set. In `labels` and `include`, the
 * defaults are added key by key. Keys that concern tweets are added only to watches of tweets.
 * Unknown keys are left out, because `check-defaults.ts` reports them once for all watches.
 */
function withDefaults(map: MapNode, defaults: Node | undefined, type: WatchType<any>): MapNode {
  if (defaults?.kind !== "map") return map;
  const entries = new Map(map.entries);
  for (const [key, entry] of defaults.entries) {
    if (!COMMON_WATCH_KEYS.includes(key) || (TWEET_WATCH_KEYS.includes(key) && !isTweetFeed(type)))
      continue;
    const own = entries.get(key);
    // A watch that sets `schedule` does not inherit `freshness`, which would contradict it.
    if (key === "freshness" && map.entries.has("schedule")) continue;
    if (own === undefined) entries.set(key, entry);
    else if (MERGED_MAPS.includes(key) && own.node.kind === "map" && entry.node.kind === "map") {
      entries.set(key, {
        ...own,
        node: { ...own.node, entries: new Map([...entry.node.entries, ...own.node.entries]) },
      });
    }
  }
  return { ...map, entries };
}

/**
 * Removes keys that only watches of tweets have from other watches. They get a special error
 * message, because people expect them everywhere.
 */
function withoutTweetKeys(
  map: MapNode,
  { own, common }: KnownKeys,
  { type }: WatchType<any>,
  report: Report,
): MapNode {
  const misplaced = TWEET_WATCH_KEYS.filter(
    (key) => map.entries.has(key) && !own.includes(key) && !common.includes(key),
  );
  for (const key of misplaced) {
    const [rule, cure] =
      key === "freshness"
        ? (["freshness", 'write `schedule` instead, like schedule: "@every 5m"'] as const)
        : (["unknown-key", "remove it"] as const);
    report.error(
      entryOf(map, key)?.keyPlace ?? map.place,
      rule,
      `\`${key}\` works only for watches of tweets, and \`${type}\` is not one: ${cure}`,
    );
  }
  return withEntries(map, Object.fromEntries(misplaced.map((key) => [key, undefined])));
}

function keysOf(type: WatchType<any>): KnownKeys {
  const own = Object.keys(type.schema().shape);
  return {
    own,
    common: COMMON_WATCH_KEYS.filter(
      (key) => !own.includes(key) && (isTweetFeed(type) || !TWEET_WATCH_KEYS.includes(key)),
    ),
  };
}

/**
 * A watch in which each key is valid on its own. The rules that concern several keys are checked
 * after that.
 */
interface CheckedWatch {
  readonly entry: Entry;
  /** The watch with its defaults, and with the lines of its account files. */
  readonly map: MapNode;
  readonly type: WatchType<any>;
  readonly common: CommonWatch;
  readonly settings: unknown;
}

async function finish(
  { entry, map, type, common, settings }: CheckedWatch,
  deps: WatchDeps,
): Promise<Watch | undefined> {
  const at = (...path: readonly string[]): Place => valuePlace(map, path, entry.keyPlace);
  checkLabels(map, deps.report);
  checkOwnSinks(entry, map, common, deps);
  const placing = settings === undefined ? undefined : type.placing?.(settings);
  const timing = timingOf(common, checkSchedule(common, type, at, deps));
  const where =
    common.where === undefined ? undefined : await checkWhere(common.where, map, type, deps);
  checkOneRhythm(entry, common, at, deps);
  if (timing === undefined) return undefined;
  const intervalMs = deps.timetable.intervalMs(scheduleOf(timing), SAMPLE_DAY_MS);
  const maxAgeMs = checkMaxAge(common, intervalMs, at, deps);
  checkFullPolls(placing, maxAgeMs, at, deps);
  if (common.where !== undefined && where === undefined) return undefined;
  checkFollowing(common, intervalMs, at, deps);
  if (common.enrich !== undefined) checkEnrich(common.enrich, map, common.labels, deps);
  const labels = deps.share({ ...common.labels });
  return {
    id: entry.key,
    type: type.type,
    settings,
    timing: deps.share(timing),
    ...placing,
    priority: common.priority,
    labels,
    firstRun: deps.share(common.first_run),
    maxPages: common.max_pages,
    maxAgeMs,
    overlapMs: common.overlap,
    include: deps.share(includeOf(common, type.include)),
    ignore: deps.share({ authors: common.ignore.authors ?? [], words: common.ignore.words ?? [] }),
    ...(where === undefined
      ? {}
      : { where: bindLabels(where, { watch: entry.key, type: type.type, ...labels }) }),
    ...(common.recheck === undefined ? {} : { recheck: deps.share(common.recheck) }),
    ...(common.enrich === undefined ? {} : { enrich: deps.share(common.enrich) }),
    ...(common.spike === undefined ? {} : { spike: deps.share(common.spike) }),
    ...(common.no_events === undefined ? {} : { noEventsForMs: common.no_events.for }),
    sinks: deps.share([...new Set(common.sink ?? [])]),
    enabled: common.enabled,
    onReturn: common.on_return,
    movedFrom: common.moved_from,
  };
}

/**
 * Warns of a value such as `query: acme #launch`, where YAML silently takes the end as a comment.
 */
function warnOfComment(node: Node, report: Report): void {
  if (node.kind !== "scalar" || node.origin !== "plain" || typeof node.value !== "string") return;
  const { text } = node.place.file;
  const end = node.place.offset + node.source.length;
  const comment = text.startsWith(node.source, node.place.offset)
    ? /^[ \t]+(#[^\s#][^\n]*)/.exec(text.slice(end, end + 300))?.[1]
    : undefined;
  if (comment === undefined) return;
  const message = `"${comment.trim()}" is a comment here, not part of the value: put the whole value in quotes if it belongs to it`;
  report.warn({ file: node.place.file, offset: end + 1 }, "yaml-comment", message);
}

/**
 * Binds the labels that are known before an event is created. If a caller knows further labels, it
 * passes them as `labels` in the body.
 */
export const bindLabels = (
  where: Where,
  labels: Readonly<Record<string, string>>,
): NonNullable<Watch["where"]> => ({
  text: where.text,
  matches: (body) => where.matches(body, labels),
  describeFalse: (body) => where.describeFalse(body, labels),
});

/** Returns the place of the value at a path, or the nearest place that exists. */
function valuePlace(map: MapNode, path: readonly string[], fallback: Place): Place {
  const { node, place } = findNode(map, path, fallback);
  return node === undefined || node.kind === "map" ? place : node.place;
}

function checkLabels(map: MapNode, report: Report): void {
  for (const { key, keyPlace } of entriesOf(childOf(map, "labels"))) {
    if ((BUILT_IN_LABELS as readonly string[]).includes(key)) {
      report.error(
        keyPlace,
        "built-in-label",
        `every event has a label \`${key}\` already: choose another name`,
      );
    }
  }
}

function checkOwnSinks(entry: Entry, map: MapNode, common: CommonWatch, deps: WatchDeps): void {
  const node = childOf(map, "sink");
  const placeAt = (index: number) =>
    (node?.kind === "list" ? node.items[index]?.place : undefined) ?? node?.place ?? entry.keyPlace;
  checkSinks(common.sink ?? [], placeAt, deps.sinkNames, deps.report);
  if (node !== undefined || deps.hasFallback) return;
  deps.report.error(
    entry.keyPlace,
    "no-sink",
    `the watch \`${entry.key}\` has nowhere to send its alerts: give it a \`sink\`, or add a \`route\``,
  );
}

/** Returns the timing. Undefined if there is no `freshness` and the schedule cannot be read. */
function timingOf({ freshness }: CommonWatch, schedule: Schedule | undefined): Timing | undefined {
  if (freshness !== undefined) return { kind: "freshness", freshness };
  return schedule === undefined ? undefined : { kind: "schedule", schedule };
}

async function checkWhere(
  text: string,
  map: MapNode,
  type: WatchType<any>,
  deps: WatchDeps,
): Promise<Where | undefined> {
  const compiled = (await deps.where()).compile(text, type.body);
  if ("matches" in compiled) return compiled;
  const node = childOf(map, "where");
  const place = node?.place ?? entryOf(map, "where")?.keyPlace ?? map.place;
  deps.report.error(offsetInto(place, text, compiled.offset), compiled.rule, compiled.message);
  return undefined;
}

const includeOf = ({ include }: CommonWatch, standard: Include): Include => ({
  reply: include.replies ?? standard.reply,
  retweet: include.retweets ?? standard.retweet,
  quote: include.quotes ?? standard.quote,
});
