/**
 * Loads a frozen Config from files. The steps are: read, parse, merge, replace variables, check and
 * build. Reports all errors, not only the first.
 */
import { join } from "node:path";
import type { Environment, Files } from "../../model/files.ts";
import { allowedPrograms } from "../../model/outputs.ts";
import { collectGarbage } from "../../runtime/collect-garbage.ts";
import { yieldToEventLoop } from "../../model/steps.ts";
import { withDotEnv } from "../../runtime/environment.ts";
import type { SinkType } from "../../sinks/kind/sink-type.ts";
import type { WatchType } from "../../watches/watch-type.ts";
import { buildConfig } from "../compile/build-config.ts";
import type { Config, ConfigIssue } from "../config.ts";
import { interpolate } from "../text/interpolate.ts";
import { mergeSources } from "../text/merge-sources.ts";
import { storedConfig } from "./stored-config.ts";
import { parseYaml } from "../text/parse-yaml.ts";
import { readSources } from "../text/read-files.ts";
import { configHash, recordReads } from "../read-log.ts";
import { createReport, type Report } from "../report.ts";
import type { MapNode, SourceFile } from "../tree.ts";

export interface LoadRequest {
  /** A YAML file, or a folder of them. */
  readonly path: string;
  readonly files: Files;
  /** The real environment. Variables from the `.env` next to the file are added. */
  readonly env: Environment;
  readonly watchTypes: readonly WatchType<any>[];
  readonly sinkTypes: readonly SinkType<any>[];
  /**
   * The current time, for warnings about dates that have passed. Without it there are no such
   * warnings.
   */
  readonly nowMs?: number;
  /**
   * Whether secrets of sinks may be missing, for the demo and for commands that send nothing. A
   * sink with a missing secret then has no settings.
   */
  readonly lenientSecrets?: boolean;
  /** Set for a daemon, which stores its configuration. */
  readonly withStored?: boolean;
}

export type LoadResult =
  | { readonly ok: true; readonly config: Config }
  /** Errors and warnings, in file order. */
  | { readonly ok: false; readonly issues: readonly ConfigIssue[] };

/**
 * The number of characters, about two thousand watches, from which garbage is collected after
 * parsing and after building. Parsing allocates about a hundred bytes per character, building
 * fifty.
 */
const LARGE_TEXT = 150_000;

/**
 * Loads and checks a configuration. Never throws for what is in the files.
 *
 * @example const loaded = await loadConfig({ path: "watches.yaml", files, env, watchTypes:
 * WATCH_TYPES, sinkTypes: SINK_TYPES }); if (!loaded.ok)
 * console.error(loaded.issues.map(formatIssue).join("\n"));
 */
export async function loadConfig(request: LoadRequest): Promise<LoadResult> {
  const { files, marks } = recordReads(request.files);
  const sources = await readSources(request.path, files);
  const report = createReport(
    [...sources.files, ...sources.failures.map((failure) => failure.file)].sort(byName),
  );
  for (const { file, rule, message } of sources.failures)
    report.error({ file, offset: 0 }, rule, message);
  const roots = await parseAll(sources.files, report);
  const isLarge = sources.files.reduce((sum, { text }) => sum + text.length, 0) > LARGE_TEXT;
  if (isLarge) collectGarbage();
  if (report.hasErrors()) return { ok: false, issues: report.issues() };
  const merged = mergeSources(roots, report);
  if (merged === undefined) return { ok: false, issues: report.issues() };
  const env = await withDotEnv(request.env, files, request.path);
  const lenient = request.lenientSecrets === true;
  const root = interpolate(
    merged,
    env,
    report,
    (section) => lenient && (section === "sinks" || section === "defaults"),
  );
  const giveWay = () => (isLarge ? yieldToEventLoop() : undefined);
  await giveWay();
  const read = new Set(sources.files.map((file) => file.path));
  const dotEnv = join(sources.folder, ".env");
  if (await files.exists(dotEnv)) read.add(dotEnv);
  const built = await buildConfig(root, {
    watchTypes: request.watchTypes,
    sinkTypes: request.sinkTypes,
    folder: sources.folder,
    files,
    env,
    allowedPrograms: allowedPrograms(request.env["CHIRPWATCH_ALLOW_EXEC"]),
    report,
    nowMs: request.nowMs ?? 0,
    noteFile: (path) => read.add(path),
    notedFiles: read,
    lenient,
  });
  await giveWay();
  const stored =
    request.withStored === true && built !== undefined
      ? await storedConfig(root, { ...request, files, folder: sources.folder })
      : undefined;
  if (isLarge) collectGarbage();
  await giveWay();
  const issues = report.issues();
  if (built === undefined || report.hasErrors()) return { ok: false, issues };
  return {
    ok: true,
    config: deepFreeze({
      ...built,
      ...(stored === undefined ? {} : { stored }),
      warnings: issues,
      files: [...read],
      reads: marks(),
      hash: configHash(marks()),
    }),
  };
}

/**
 * Parses the files. A megabyte takes about a second. Other work runs meanwhile, because a daemon
 * that reloads must be able to renew its lease.
 */
async function parseAll(files: readonly SourceFile[], report: Report): Promise<readonly MapNode[]> {
  const roots: MapNode[] = [];
  for (const [at, file] of files.entries()) {
    if (at > 0) await yieldToEventLoop();
    const root = await parseYaml(file, report);
    if (root !== undefined) roots.push(root);
  }
  return roots;
}

const byName = (a: { readonly shown: string }, b: { readonly shown: string }): number =>
  a.shown < b.shown ? -1 : 1;

/**
 * Freezes plain objects and lists only, because compiled matchers and classes change their own
 * fields.
 */
function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
