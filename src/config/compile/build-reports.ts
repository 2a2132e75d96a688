/** Builds the entries under `reports`: which watches each covers, which sinks get it, and when. */
import type { ReportConfig } from "../../model/report.ts";
import { matchesAll, parseMatcher } from "../../route/matcher.ts";
import type { Matcher } from "../../route/route.ts";
import type { Watch } from "../../model/watch.ts";
import { BUILT_IN_LABELS } from "../../model/event.ts";
import type { Timetable } from "../../schedule/timetable.ts";
import { checkValue } from "../check/check-value.ts";
import type { Report } from "../report.ts";
import { reportHolder, type WrittenReport } from "../schema/report-schema.ts";
import { didYouMean } from "../suggest.ts";
import {
  type Entry,
  entriesOf,
  findNode,
  type MapNode,
  type Node,
  type Path,
  type Place,
} from "../tree.ts";
import { readSchedule } from "../check/schedule.ts";

export interface ReportBuildDeps {
  readonly report: Report;
  readonly timetable: Timetable;
  readonly watches: readonly Watch[];
  /** The ids of all watches in the file, including watches with errors. */
  readonly watchIds: readonly string[];
  readonly sinkNames: readonly string[];
  /** The names of the labels that watches set under `labels`, or that `enrich` may add. */
  readonly labels: readonly string[];
}

export async function buildReports(
  section: Node | undefined,
  deps: ReportBuildDeps,
): Promise<readonly ReportConfig[]> {
  const entries = entriesOf(section).filter(({ key }) => !key.startsWith("x-"));
  const built: ReportConfig[] = [];
  for (const entry of entries) {
    const report = await buildReport(entry, deps);
    if (report !== undefined) built.push(report);
  }
  return built;
}

async function buildReport(entry: Entry, deps: ReportBuildDeps): Promise<ReportConfig | undefined> {
  const { report, timetable } = deps;
  const holder: MapNode = {
    kind: "map",
    place: entry.keyPlace,
    entries: new Map([[entry.key, entry]]),
  };
  const written = checkValue(reportHolder(entry.key), holder, {
    report,
    place: entry.keyPlace,
    name: entry.key,
  })?.[entry.key] as WrittenReport | undefined;
  if (written === undefined) return undefined;
  const at = (...path: Path): Place => {
    const { node, place } = findNode(entry.node, path, entry.keyPlace);
    return node?.place ?? place;
  };
  const { sink, watches: named, matchers: texts, by, top, timezone, title = entry.key } = written;
  const schedule = readSchedule(written.schedule, timezone, timetable);
  if (typeof schedule === "string") report.error(at("schedule"), "schedule", schedule);
  if (named !== undefined && texts !== undefined)
    report.error(
      at("matchers"),
      "bad-value",
      "`matchers` and `watches` are both set: remove one of them",
    );
  checkNames(
    sink,
    { known: deps.sinkNames, what: "sink", rule: "unknown-sink" },
    (index) => at("sink", index),
    report,
  );
  checkNames(
    named ?? [],
    { known: deps.watchIds, what: "watch", rule: "report-watch" },
    (index) => at("watches", index),
    report,
  );
  const labels = [...new Set([...BUILT_IN_LABELS, ...deps.labels])];
  checkNames(
    by,
    { known: labels, what: "label", rule: "report-label" },
    (index) => at("by", index),
    report,
  );
  const matchers = await readMatchers(texts ?? [], (index) => at("matchers", index), report);
  if (typeof schedule === "string") return undefined;
  const chosen = deps.watches.filter((watch) =>
    named === undefined ? matchesAll(matchers, labelsOf(watch)) : named.includes(watch.id),
  );
  if (texts !== undefined && chosen.length === 0)
    report.warn(
      at("matchers"),
      "report-without-watches",
      `no watch has these labels: the report "${entry.key}" stays empty`,
    );
  return {
    ...{ name: entry.key, title, by, top, timezone },
    watches: chosen.map(({ id }) => id),
    sinks: [...new Set(sink)],
    nextAtMs: (epochMs) =>
      schedule.kind === "every"
        ? (Math.floor(epochMs / schedule.intervalMs) + 1) * schedule.intervalMs
        : timetable.nextDue(schedule, epochMs),
  };
}

const labelsOf = ({ id, type, labels }: Watch) => ({ ...labels, watch: id, type });

interface Names {
  readonly known: readonly string[];
  readonly what: string;
  readonly rule: "unknown-sink" | "report-watch" | "report-label";
}

function checkNames(
  names: readonly string[],
  { known, what, rule }: Names,
  at: (index: number) => Place,
  report: Report,
): void {
  for (const [index, name] of names.entries())
    if (!known.includes(name))
      report.error(
        at(index),
        rule,
        `there is no ${what} "${name}"${didYouMean(name, known) || `; known here: ${known.join(", ")}`}`,
      );
}

async function readMatchers(
  texts: readonly string[],
  at: (index: number) => Place,
  report: Report,
): Promise<readonly Matcher[]> {
  if (texts.length === 0) return [];
  const { compilePattern } = await import("../../route/pattern.ts");
  return texts.flatMap((text, index) => {
    const matcher = parseMatcher(text, compilePattern);
    if (typeof matcher !== "string") return [matcher];
    report.error(at(index), "matcher", matcher);
    return [];
  });
}
