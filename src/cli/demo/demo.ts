/**
 * `chirpwatch demo`: sandbox, daemon and console in one process, in four chapters: silent baseline, alerts, a restart that
 * sends no duplicate alerts, the sums. Owns the course; its deadlines are demo-times.ts's, what the configuration becomes is demo-config.ts's.
 */
import { basename, join } from "node:path";
import type { Command } from "commander";
import { type Daemon, startDaemon } from "../../app/build.ts";
import { createTeardown, type Teardown } from "../../app/daemon/teardown.ts";
import type { Config } from "../../config/config.ts";
import { sleep } from "../../model/clock.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { sha256 } from "../../runtime/hash.ts";
import type { Logger } from "../../runtime/logger.ts";
import { packageFile } from "../../runtime/package-file.ts";
import { makeTemporaryFolder } from "../../runtime/write-files.ts";
import { type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import { openStore } from "../../state/open.ts";
import { type CliContext, requireConfig } from "../terminal/context.ts";
import { createAlertScreen } from "./demo-alerts.ts";
import { createAnswerLog } from "./demo-answers.ts";
import { type DemoStore, hasBaseline, itemOf, notedWatches, countAll, sentAt, watchEvents } from "./demo-counts.ts";
import { demoConfig, DEMO_QUOTA, demoServer } from "./demo-config.ts";
import { baselineText, chapter, introText, outroText, repeatText, summaryText } from "./demo-text.ts";
import { BASELINE_UNTIL_MS, demoTimes } from "./demo-times.ts";
import { playScenario, type ScenarioTrack } from "./play-scenario.ts";

interface DemoFlags {
  readonly config?: string;
  readonly stay?: boolean;
}

/** Beside the package, wherever the command is called from. */
const EXAMPLE = packageFile("watches.example.yaml");

/** What happens in the demo. */
const SCENARIO = packageFile("config/demo-scenario.json");

const CHECK_EVERY_MS = 50;
/** So often every watch is polled again after the restart, where time allows. */
const ENCORE_POLLS = 3;
/** The slowest watch of the demo is polled, and a digest of it goes out, more often. */
const LAST_ALERTS_MS = 7_000;

export function addDemo(program: Command, context: CliContext): void {
  program
    .command("demo")
    .description("show the daemon at work on an invented world: no key, no network")
    .option("-c, --config <file>", "configuration to run (default: the example of the package)")
    .option("--once", "end after the summary (the default)")
    .option("--stay", "keep running after the summary, until a signal")
    .addHelpText("after", "\nExample:\n  chirpwatch demo --stay")
    .action((flags: DemoFlags) => demo(context, flags));
}

async function demo(context: CliContext, flags: DemoFlags): Promise<void> {
  const log = context.logger("warn");
  const stop = new AbortController();
  const teardown = createTeardown(log);
  teardown.push(
    "signals",
    context.onSignals(["SIGINT", "SIGTERM"], () => stop.abort()),
  );
  teardown.push("http", () => context.http.close());
  try {
    await play(await startRun(context, flags, { log, signal: stop.signal, teardown }), flags);
  } finally {
    await teardown.drain();
    await log.flush();
  }
}

interface DemoRun {
  readonly context: CliContext;
  readonly config: Config;
  readonly configFile: string;
  readonly sandbox: Sandbox;
  readonly store: DemoStore;
  readonly screen: ReturnType<typeof createAlertScreen>;
  readonly answers: ReturnType<typeof createAnswerLog>;
  readonly signal: AbortSignal;
  readonly startedAtMs: number;
  /** Polls so far, and polls of each watch since the last start. */
  readonly polled: { count: number; readonly byWatch: Map<string, number> };
  url(): string;
  /** From now on nothing happens in the world. */
  stopScenario(): void;
  /** Stops the daemon and starts another on the same state. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

/** What exists as long as the command runs. */
interface CommandScope {
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly teardown: Teardown;
}

async function startRun(context: CliContext, flags: DemoFlags, { log, signal, teardown }: CommandScope): Promise<DemoRun> {
  const startedAtMs = context.clock.monotonic();
  const configFile = flags.config ?? EXAMPLE;
  const written = await requireConfig(onSandbox(context), configFile, { lenientSecrets: true });
  const folder = await makeTemporaryFolder("chirpwatch-demo-");
  teardown.push("temporary state", () => folder.remove());
  const config = demoConfig(written, {
    statePath: join(folder.path, "demo.db"),
    server: demoServer(written.server, context.env, () => context.random.id()),
  });
  const sandbox = await startSandbox({ clock: context.clock, keys: [config.api.key], quota: DEMO_QUOTA });
  teardown.push("sandbox", () => sandbox.close());
  const stopScenario = playScenario(await readScenario(context), sandbox, context.clock);
  teardown.push("scenario", stopScenario);
  const screen = createAlertScreen(context.out);
  const answers = createAnswerLog(context.http);
  const polled = { count: 0, byWatch: new Map<string, number>() };
  const start = (): Promise<Daemon> =>
    startDaemon(config, {
      ...context,
      http: answers.http,
      log,
      hash: sha256,
      addSecret: log.addSecret,
      write: screen.write,
      load: async () => ({ ok: true, config }),
      watchFiles: false,
      sandboxUrl: sandbox.url,
      onPolled({ subscribers }, outcome) {
        polled.count += 1;
        if (outcome === undefined) return;
        for (const { watch } of subscribers) polled.byWatch.set(watch.id, (polled.byWatch.get(watch.id) ?? 0) + 1);
      },
    });
  let daemon = await start();
  teardown.push("daemon", () => daemon.stop());
  const store = await openStore({ path: config.state.path, clock: context.clock, random: context.random, log, readonly: true });
  teardown.push("state reader", () => store.close());
  return {
    context,
    config,
    configFile,
    sandbox,
    store,
    screen,
    answers,
    signal,
    startedAtMs,
    polled,
    url: () => daemon.url,
    stopScenario,
    async restart() {
      await daemon.stop();
      answers.forget();
      polled.byWatch.clear();
      daemon = await start();
    },
    end: () => daemon.stop(),
  };
}

const readScenario = async ({ files }: CliContext): Promise<readonly ScenarioTrack[]> =>
  JSON.parse(await files.readText(SCENARIO)) as readonly ScenarioTrack[];

/** Whatever the environment says, the demo asks nobody but the sandbox: a configuration that wants a key gets along without. */
const onSandbox = (context: CliContext): CliContext => ({
  ...context,
  env: { ...context.env, CHIRPWATCH_API_URL: "sandbox", CHIRPWATCH_API_KEY: "sandbox" },
});

async function play(run: DemoRun, flags: DemoFlags): Promise<void> {
  const { context, config, sandbox, store, screen } = run;
  const staying = flags.stay === true;
  const watches = config.watches.filter(({ enabled }) => enabled);
  const ids = watches.map(({ id }) => id);
  const types = new Set(watches.map(({ type }) => type));
  const say = context.out;

  say(
    introText({
      configFile: basename(run.configFile),
      watches,
      sinks: config.sinks.length,
      statePath: config.state.path,
      statusUrl: run.url(),
      ...(config.server.token === undefined ? {} : { token: config.server.token }),
      serviceUrl: sandbox.url,
    }),
  );
  say(chapter(1, "A silent baseline", "what is there already is recorded, and raises no alert"));
  await waitFor(run, BASELINE_UNTIL_MS, () => hasBaseline(store, ids));
  const times = demoTimes(context.clock.monotonic() - run.startedAtMs);
  say(baselineText(await notedWatches(store, ids)));

  say(chapter(2, "The world moves", "posts, followers and scores, as they come"));
  screen.open();
  await waitFor(run, times.restartMs, async () => (await alertedTypes(store)).size > types.size / 2);
  // Without an alert there can be no duplicate.
  await waitFor(run, times.alertsMs, async () => (await alertedTypes(store)).size > 0);

  const alertedBefore = await watchEvents(store);
  say(chapter(3, "The daemon stops and starts again", "same state; the service serves the same pages once more"));
  await run.restart();
  const isPolled = (times: number) => ids.every((id) => (run.polled.byWatch.get(id) ?? 0) >= times);
  await waitFor(run, times.alertsMs, async () => {
    const alerted = await alertedTypes(store);
    return isPolled(1) && [...types].every((type) => alerted.has(type));
  });
  await waitFor(run, times.encoreMs, async () => isPolled(ENCORE_POLLS));
  if (!staying) await awaitLastAlerts(run, ids);
  const servedAgain = () => alertedBefore.map((event) => run.answers.served.get(itemOf(event)) ?? 0).filter((served) => served > 0);
  await waitFor(run, times.alertsMs, async () => servedAgain().length > 0);
  const again = servedAgain();
  const served = again.reduce((sum, one) => sum + one, 0);
  say(`\n${repeatText({ alertedBefore: alertedBefore.length, servedAgain: again.length, times: served, duplicates: screen.repeats })}`);

  say(chapter(4, "The sums", "read from the state and from the service's own counts"));
  if (!staying) await run.end();
  const billed = await billedBy(run);
  const counts = await countAll(store);
  say(summaryText({ counts, polls: run.polled.count, billed, alerts: screen.count, statusUrl: run.url(), staying }));
  await checkOutcome(run, types, again.length);
  say(outroText(staying));
  if (staying) await untilAborted(run.signal);
}

/** What happened last is found by the next poll, and arrives before anyone counts. */
async function awaitLastAlerts(run: DemoRun, ids: readonly string[]): Promise<void> {
  run.stopScenario();
  const polled = new Map(run.polled.byWatch);
  const isRead = () => ids.every((id) => (run.polled.byWatch.get(id) ?? 0) > (polled.get(id) ?? 0));
  const untilMs = run.context.clock.monotonic() - run.startedAtMs + LAST_ALERTS_MS;
  await waitFor(run, untilMs, async () => isRead() && (await run.store.outboxStats()).every(({ waiting }) => waiting === 0));
}

/** Types of the watches whose alerts stand on the console. */
async function alertedTypes(store: DemoStore): Promise<ReadonlySet<string>> {
  const types = new Set<string>();
  for (const event of await watchEvents(store))
    if (!types.has(event.watchType) && (await sentAt(store, event)) !== undefined) types.add(event.watchType);
  return types;
}

/** @throws ExitError when the demo did not show what it promises. */
async function checkOutcome({ store, screen }: DemoRun, types: ReadonlySet<string>, servedAgain: number): Promise<void> {
  const alerted = new Set((await watchEvents(store)).map(({ watchType }) => watchType));
  const silent = [...types].filter((type) => !alerted.has(type));
  if (silent.length > 0) throw failed(`no alert came from ${silent.join(", ")} in time`);
  if (screen.repeats > 0) throw failed(`${screen.repeats} duplicate alerts were delivered`);
  if (servedAgain === 0) throw failed("the service served nothing again, so nothing was verified");
}

const failed = (message: string): ExitError => new ExitError(EXIT.failed, "DEMO_FAILED", `the demo failed: ${message}`);

/** Until it is so, or `untilMs` after the start. @throws ExitError at a signal. */
async function waitFor({ context, startedAtMs, signal }: DemoRun, untilMs: number, isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()) && context.clock.monotonic() - startedAtMs < untilMs) {
    await sleep(context.clock, CHECK_EVERY_MS, signal);
    if (signal.aborted) throw new ExitError(EXIT.failed, "DEMO_INTERRUPTED", "the demo was interrupted");
  }
}

async function billedBy({ context, sandbox }: DemoRun): Promise<number> {
  const answer = await context.http.request({
    method: "GET",
    url: `${sandbox.url}/_sandbox/requests`,
    timeoutMs: 2_000,
    maxBytes: 4_000_000,
    reach: "loopback",
  });
  return Number((JSON.parse(answer.body) as { billed?: unknown }).billed ?? 0);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
