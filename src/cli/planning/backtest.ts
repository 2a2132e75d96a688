/**
 * `chirpwatch backtest`: what a configuration would have sent in a past period, compared with the
 * active one. Works in this process, on the state as it is.
 */
import { type Command, Option } from "commander";
import { loadActiveConfig } from "../../app/backtest/active-config.ts";
import { type BacktestQuery, runBacktest } from "../../app/backtest/backtest.ts";
import { replayInThread } from "../../app/backtest/replay-in-thread.ts";
import type { Config } from "../../config/config.ts";
import { bindLabels } from "../../config/compile/build-watch.ts";
import { createWhereCompiler } from "../../config/where/where.ts";
import { isoTime } from "../../model/clock.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { BacktestView } from "../../operate/backtest/backtest-view.ts";
import { sha256 } from "../../runtime/hash.ts";
import { hasSpareCore } from "../../runtime/threads/run-in-thread.ts";
import { parseTime, TIMES } from "../../server/contract/event-query.ts";
import type { OpenedStore } from "../../state/open.ts";
import { watchTypeOf } from "../../watches/registry.ts";
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
  const view = await replayPeriod(context, tried, { sinceMs, untilMs, watch, sink, limit });
  const isJson = options.json === true || options.format === "json";
  context.out(isJson ? JSON.stringify(view, undefined, 2) : formatBacktest(view));
}

/** Replays a period with the active configuration and with the tried one, from the latter's state. */
export async function replayPeriod(
  context: CliContext,
  tried: Config,
  query: BacktestQuery,
): Promise<BacktestView> {
  const progress = createProgress();
  return readState(context, tried, async (store) => {
    await requireArchive(store, query.untilMs);
    const config = await store.currentConfig();
    const active = await loadActiveConfig(config);
    const { path, postgres } = tried.state;
    const state = { path, ...(postgres === undefined ? {} : { postgres }) };
    return runBacktest(active, tried, query, {
      ...{ store, hash: sha256 },
      onProgress: (share) => progress.show(`replaying ${barOf(share)}`),
      ...(hasSpareCore() && {
        replayActive: (facts, watch) => replayInThread({ state, config, facts }, watch),
      }),
    });
  }).finally(() => progress.clear());
}

const BAR_CHARS = 30;

/** Returns a bar like `[#####     ]  50%`. */
function barOf(share: number): string {
  const done = Math.min(1, Math.max(0, share));
  const bar = "#".repeat(Math.round(done * BAR_CHARS)).padEnd(BAR_CHARS);
  return `[${bar}] ${String(Math.floor(done * 100)).padStart(3)}%`;
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
