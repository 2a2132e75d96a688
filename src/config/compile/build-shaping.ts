/**
 * Builds the settings that sinks and routes share: muted hours, digests, duplicates, repetitions
 * and escalations.
 */
import { formatDuration } from "../../model/duration.ts";
import { BUILT_IN_LABELS } from "../../model/event.ts";
import type { EscalationStep, ScheduledDigest, Shaping } from "../../route/route.ts";
import type { Timetable } from "../../schedule/timetable.ts";
import { DEFAULTS } from "../defaults.ts";
import type { WrittenDigest, WrittenShaping } from "../schema/route-schema.ts";
import { didYouMean } from "../suggest.ts";
import type { Report } from "../report.ts";
import { findNode, type MapNode, offsetInto, type Place } from "../tree.ts";
import type { LoadWhere } from "../where/where.ts";
import type { WhereBody } from "../where/where-types.ts";
import { buildMuting, type MutingDeps } from "./build-intervals.ts";
import { readSchedule } from "../check/schedule.ts";
import { checkSinks } from "./check-sinks.ts";
import { describeUnknownNumber, numberReader } from "../where/sort-numbers.ts";

export interface ShapingDeps extends MutingDeps {
  readonly timetable: Timetable;
  /** The fields that an event of any watch type may have. */
  readonly body: WhereBody;
  /** The names of the labels that watches set under `labels`, or that `enrich` may add. */
  readonly labels: readonly string[];
}

/**
 * Builds the settings, except `escalate`. `map` is the route or sink that has the keys.
 */
export function buildShaping(
  written: WrittenShaping,
  at: { readonly map: MapNode; readonly keyPlace: Place },
  deps: ShapingDeps,
): Shaping {
  const { digest, dedupe, repeat_interval: repeatMs, send_resolved: sendResolved } = written;
  const built = digest === undefined || digest === false ? digest : buildDigest(digest, at, deps);
  const alike =
    dedupe === undefined || dedupe === false
      ? dedupe
      : { key: [...new Set(dedupe.key)], windowMs: dedupe.window };
  if (dedupe !== undefined && dedupe !== false) checkKey(dedupe.key, at, deps);
  return {
    ...buildMuting(written, at, deps),
    ...(built === undefined ? {} : { digest: built }),
    ...(alike === undefined ? {} : { dedupe: alike }),
    ...(repeatMs === undefined ? {} : { repeatMs }),
    ...(sendResolved === undefined ? {} : { sendResolved }),
  };
}

function checkKey(
  key: readonly string[],
  { map, keyPlace }: { readonly map: MapNode; readonly keyPlace: Place },
  deps: ShapingDeps,
): void {
  const { node, place } = findNode(map, ["dedupe", "key"], keyPlace);
  for (const [index, part] of key.entries()) {
    const unknown = describeUnknownPart(part, deps.labels);
    const at = node?.kind === "list" ? node.items[index]?.place : node?.place;
    if (unknown !== undefined) deps.report.error(at ?? place, "dedupe-key", unknown);
  }
}

const POST_PARTS = ["tweet", "author", "text"];

function describeUnknownPart(part: string, labels: readonly string[]): string | undefined {
  const known = [...POST_PARTS, ...BUILT_IN_LABELS, ...labels];
  if (known.includes(part)) return undefined;
  return `\`key\`: no event has a label "${part}"${didYouMean(part, known) || `; known here: ${[...new Set(known)].join(", ")}`}`;
}

function buildDigest(
  {
    schedule: written,
    title,
    group_by: groupBy,
    max_items: maxItems,
    sort_by: sortBy,
    when_empty: whenEmpty,
  }: WrittenDigest,
  { map, keyPlace }: { readonly map: MapNode; readonly keyPlace: Place },
  { report, timetable, body, labels }: ShapingDeps,
): ScheduledDigest | undefined {
  const placeOf = (key: string): Place => {
    const { node, place } = findNode(map, ["digest", key], keyPlace);
    return node?.place ?? place;
  };
  const schedule = readSchedule(written, DEFAULTS.digest.timezone, timetable);
  if (typeof schedule === "string") report.error(placeOf("schedule"), "schedule", schedule);
  const unknown = sortBy === undefined ? undefined : describeUnknownNumber(sortBy, body);
  if (unknown !== undefined) report.error(placeOf("sort_by"), "sort-by", unknown);
  const unknownLabel = groupBy === undefined ? undefined : describeUnknownLabel(groupBy, labels);
  if (unknownLabel !== undefined) report.error(placeOf("group_by"), "digest-group", unknownLabel);
  if (typeof schedule === "string" || unknown !== undefined || unknownLabel !== undefined)
    return undefined;
  return {
    nextAtMs:
      schedule.kind === "every"
        ? // Due times are multiples of the interval, so a restart does not change the next one.
          (epochMs) => (Math.floor(epochMs / schedule.intervalMs) + 1) * schedule.intervalMs
        : (epochMs) => timetable.nextDue(schedule, epochMs),
    title,
    groupBy,
    maxItems,
    ...(sortBy === undefined ? {} : { sortBy: { name: sortBy, of: numberReader(sortBy) } }),
    whenEmpty,
  };
}

function describeUnknownLabel(label: string, own: readonly string[]): string | undefined {
  const known = [...new Set([...BUILT_IN_LABELS, ...own])];
  if (known.includes(label)) return undefined;
  return `\`group_by\`: no event has a label "${label}"${didYouMean(label, known) || `; known here: ${known.join(", ")}`}`;
}

export interface EscalateDeps {
  readonly report: Report;
  readonly where: LoadWhere;
  /** The fields that an event of any watch type may have. */
  readonly body: WhereBody;
  /** The names of all sinks. */
  readonly sinkNames: readonly string[];
  /** How long alerts are kept. */
  readonly retentionMs: number;
}

/** The sink that has the steps, or the route to these sinks. */
export interface EscalateOwner {
  readonly map: MapNode;
  readonly keyPlace: Place;
  readonly what: string;
  readonly sinks: readonly string[];
}

export async function buildEscalate(
  { escalate }: Pick<WrittenShaping, "escalate">,
  owner: EscalateOwner,
  deps: EscalateDeps,
): Promise<Pick<Shaping, "escalate">> {
  if (escalate === undefined || escalate === false)
    return escalate === undefined ? {} : { escalate };
  const placeOf = (index: number, key: string): Place => {
    const { node, place } = findNode(owner.map, ["escalate", index, key], owner.keyPlace);
    return node?.place ?? place;
  };
  checkSinks(
    escalate.map(({ sink }) => sink),
    (index) => placeOf(index, "sink"),
    deps.sinkNames,
    deps.report,
  );
  for (const [index, { sink }] of escalate.entries())
    if (owner.sinks.length === 1 && owner.sinks[0] === sink)
      deps.report.error(
        placeOf(index, "sink"),
        "escalate-self",
        `\`escalate\` of ${owner.what} names \`${sink}\`, which has the alert already: name another sink`,
      );
  let totalMs = 0;
  const steps: EscalationStep[] = [];
  for (const [index, { after: afterMs, sink, when }] of escalate.entries()) {
    totalMs += afterMs;
    if (totalMs >= deps.retentionMs && totalMs - afterMs < deps.retentionMs)
      deps.report.error(
        placeOf(index, "after"),
        "escalate-retention",
        `this step comes ${formatDuration(totalMs)} after the alert, but \`state.retention\` keeps alerts for ${formatDuration(deps.retentionMs)}: shorten \`after\`, or keep alerts for longer`,
      );
    const matches =
      when === undefined ? undefined : await compileWhen(when, placeOf(index, "when"), deps);
    steps.push({ sink, afterMs, ...(matches === undefined ? {} : { when: matches }) });
  }
  return { escalate: steps };
}

async function compileWhen(
  text: string,
  place: Place,
  { where, body, report }: EscalateDeps,
): Promise<EscalationStep["when"]> {
  const compiled = (await where()).compile(text, body);
  if ("matches" in compiled) return (event) => compiled.matches(event.body, event.labels);
  report.error(
    offsetInto(place, text, compiled.offset),
    compiled.rule,
    compiled.message.replace("`where`", "`when`"),
  );
  return undefined;
}
