/**
 * `chirpwatch backtest`: what a configuration would have sent in a past period, compared with the
 * active one. Works in this process, on the state as it is.
 */
import { type Command, Option } from "commander";
import { runBacktest } from "../../app/backtest/backtest.ts";
import type { Config } from "../../config/config.ts";
import { bindLabels } from "../../config/compile/build-watch.ts";
import { loadConfig } from "../../config/load/load-config.ts";
import { createWhereCompiler } from "../../config/where/where.ts";
import { isoTime } from "../../model/clock.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Files } from "../../model/files.ts";
import { sha256 } from "../../runtime/hash.ts";
import { parseTime, TIMES } from "../../server/contract/event-query.ts";
import { SINK_TYPES } from "../../sinks/registry.ts";
import type { OpenedStore } from "../../state/open.ts";
import { WATCH_TYPES, watchTypeOf } from "../../watches/registry.ts";
import { readState } from "../access/read-state.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION, requireConfig } from "../terminal/context.ts";
import { createProgress } from "../terminal/progress.ts";
import { formatBacktest } from "./backtest-text.ts";

interface Options {
  readonly config: string;
  readonly since: string;
  readonly until?: string;
  readonly watch?: string;
  readonly where?: string;
  readonly sink?: string;
  readonly limit: string;
  readonly format: string;
  readonly json?: true;
}

export function addBacktest(program: Command, context: CliContext): void {
  program
    .command("backtest")
    .description(
      "show what a configuration would have sent in a past period, compared with the active one; sends no request and no message",
    )
    .option(...CONFIG_OPTION)
    .option("--since <time>", "from this time on, or how long ago, like 24h", "7d")
    .option("--until <time>", "to this time; now if it is left out")
    .option("--watch <id>", "only this watch")
    .option("--where <expression>", "try this condition on the watch instead of its own")
    .option("--sink <name>", "only this sink")
    .option("--limit <count>", "how many alerts are shown in full", "20")
    .addOption(
      new Option("--format <format>", "text or json").choices(["text", "json"]).default("text"),
    )
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch backtest -c changed.yaml --since 7d\n  chirpwatch backtest --watch brand-mentions --where 'tweet.likes_count > 50'",
    )
    .action((options: Options) => backtest(context, options));
}

const usage = (message: string, hint: string): ExitError =>
  new ExitError(EXIT.usage, "BACKTEST_BAD_QUERY", message, { hint });

async function backtest(context: CliContext, options: Options): Promise<void> {
  const nowMs = context.clock.now();
  const sinceMs = timeOf("--since", options.since, nowMs);
  const untilMs = options.until === undefined ? nowMs : timeOf("--until", options.until, nowMs);
  if (sinceMs >= untilMs)
    throw usage("the period ends before it begins", "--since must be before --until");
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 0)
    throw usage(`--limit ${options.limit} is not a number of alerts`, "write it like --limit 20");
  const tried = withWhere(
    await requireConfig(context, options.config, { lenientSecrets: true }),
    options,
  );
  const { watch, sink } = options;
  requireName(
    tried.watches.map(({ id }) => id),
    "watch",
    watch,
  );
  requireName(
    tried.sinks.map(({ name }) => name),
    "sink",
    sink,
  );
  const progress = createProgress();
  const view = await readState(context, tried, async (store) => {
    await requireArchive(store, untilMs);
    const active = await activeConfig(store);
    return runBacktest(
      active,
      tried,
      { sinceMs, untilMs, watch, sink, limit },
      {
        store,
        hash: sha256,
        onProgress: (share) => progress.show(`replaying: ${Math.round(share * 100)}%`),
      },
    );
  }).finally(() => progress.clear());
  const isJson = options.json === true || options.format === "json";
  context.out(isJson ? JSON.stringify(view, undefined, 2) : formatBacktest(view));
}

function timeOf(option: string, text: string, nowMs: number): number {
  const atMs = parseTime(text, nowMs);
  if (atMs === undefined) throw usage(`${option} ${text} is not a time`, `write ${TIMES}`);
  return atMs;
}

function requireName(known: readonly string[], what: string, name: string | undefined): void {
  if (name === undefined || known.includes(name)) return;
  throw usage(`there is no ${what} ${name} in this configuration`, `it has ${known.join(", ")}`);
}

/** Returns the configuration with another condition for one watch. */
function withWhere(config: Config, { watch, where }: Options): Config {
  if (where === undefined) return config;
  const own = config.watches.find(({ id }) => id === watch);
  if (own === undefined)
    throw usage("--where is tried on one watch", "name it: --watch ID --where EXPRESSION");
  const compiled = createWhereCompiler().compile(where, watchTypeOf(own).body);
  if (!("matches" in compiled)) throw usage(compiled.message, "docs/watches.md describes `where`");
  const changed = {
    ...own,
    where: bindLabels(compiled, { ...own.labels, watch: own.id, type: own.type }),
  };
  return { ...config, watches: config.watches.map((one) => (one === own ? changed : one)) };
}

async function requireArchive(store: OpenedStore, untilMs: number): Promise<void> {
  const { reads, firstAtMs } = await store.archiveSize();
  if (reads === 0 || firstAtMs === null)
    throw new ExitError(EXIT.failed, "BACKTEST_NO_ARCHIVE", "the state has no archive yet", {
      hint: "A running daemon archives what polls find, unless state.archive is off. Wait until polls have found something.",
    });
  if (untilMs <= firstAtMs)
    throw new ExitError(
      EXIT.failed,
      "BACKTEST_BEFORE_ARCHIVE",
      `the archive begins at ${isoTime(firstAtMs)}, after the period`,
      {
        hint: "Choose a later --until, or leave it out. state.archive.keep says how far back the archive goes.",
      },
    );
}

/** Loads the configuration that the last start or reload stored. */
async function activeConfig(store: OpenedStore): Promise<Config> {
  const text = await store.currentConfig();
  const path = "/stored/watches.yaml";
  const loaded =
    text === undefined
      ? undefined
      : await loadConfig({
          ...{ path, files: onlyFile(path, text), env: {}, lenientSecrets: true },
          ...{ watchTypes: WATCH_TYPES, sinkTypes: SINK_TYPES },
        });
  if (loaded?.ok === true) return loaded.config;
  const reason =
    loaded === undefined
      ? "the state has no stored configuration"
      : `the stored configuration cannot be loaded by this version: ${loaded.issues.find(({ severity }) => severity === "error")?.message}`;
  throw new ExitError(EXIT.failed, "BACKTEST_NO_CONFIG", reason, {
    hint: "Start or reload the daemon of this version once: it stores its configuration.",
  });
}

const onlyFile = (path: string, text: string): Files => ({
  readText: async (asked) =>
    asked === path
      ? text
      : Promise.reject(Object.assign(new Error(`no file ${asked}`), { code: "ENOENT" })),
  size: async (asked) => (asked === path ? text.length : 0),
  exists: async (asked) => asked === path,
  isDirectory: async () => false,
  list: async () => [],
});
