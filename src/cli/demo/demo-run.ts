/**
 * Builds and restarts what a demo consists of: sandbox, daemon, state and console, all in this
 * process. It also simulates the days before a demo with `--stay`; demo.ts runs the demo itself.
 */
import { join } from "node:path";
import { type Daemon, startDaemon } from "../../app/build.ts";
import type { Teardown } from "../../app/daemon/teardown.ts";
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../model/clock.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Http } from "../../model/http.ts";
import { createHurriedClock, type HurriedClock } from "../../runtime/hurried-clock.ts";
import { sha256 } from "../../runtime/hash.ts";
import type { Logger } from "../../runtime/logger.ts";
import { packageFile } from "../../runtime/package-file.ts";
import { makeTemporaryFolder, writeTextFile } from "../../runtime/write-files.ts";
import { type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import { openStore } from "../../state/open.ts";
import { type CliContext, requireConfig } from "../terminal/context.ts";
import { createAlertScreen } from "./demo-alerts.ts";
import { createAnswerLog } from "./demo-answers.ts";
import { demoConfig, DEMO_QUOTA, demoServer, pastConfig, withStatePath } from "./demo-config.ts";
import { countPast, type DemoStore, type PastCounts, storeSince } from "./demo-counts.ts";
import { createPast, PAST_DAYS } from "./live-past.ts";
import { playScenario, type ScenarioTrack } from "./play-scenario.ts";

export interface DemoFlags {
  readonly config?: string;
  readonly stay?: boolean;
}

/** The example configuration, which is part of the package. */
const EXAMPLE = packageFile("watches.example.yaml");

/** The changes that happen in the sandbox's world during the demo. */
const SCENARIO = packageFile("config/demo-scenario.json");

const DAY_MS = 86_400_000;

export interface DemoRun {
  readonly context: CliContext;
  readonly config: Config;
  /** The path of the configuration, as given on the command line. */
  readonly configFile: string;
  /**
   * A copy of the configuration with the demo's state path. Other commands find this daemon with
   * it.
   */
  readonly ownConfigFile: string;
  readonly sandbox: Sandbox;
  /** Reads what happened since the demo began, without the simulated days before it. */
  readonly store: DemoStore;
  readonly screen: ReturnType<typeof createAlertScreen>;
  readonly answers: ReturnType<typeof createAnswerLog>;
  readonly signal: AbortSignal;
  readonly startedAtMs: number;
  /** The number of polls so far, and the number for each watch since the daemon's last start. */
  readonly polled: { count: number; readonly byWatch: Map<string, number> };
  /** Counts of the simulated days before the demo. Undefined without `--stay`. */
  readonly past: PastCounts | undefined;
  url(): string;
  /**
   * Plays the next turn of the scenario immediately. Afterwards nothing more changes in the world.
   */
  finishScenario(): void;
  /** Stops the daemon and starts another one on the same state. */
  restart(): Promise<void>;
  end(): Promise<void>;
  /** Returns how many requests the service billed since the demo began. */
  billed(): Promise<number>;
}

/** The objects that are created once for the whole command. */
export interface CommandScope {
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly teardown: Teardown;
}

/** What the demo's daemon and the daemon of the simulated days share. */
interface Scene {
  readonly context: CliContext;
  readonly log: Logger;
  readonly sandbox: Sandbox;
}

/** Called before the simulation of the days before the demo, which takes a few seconds. */
export type Announce = () => void;

export async function startRun(
  given: CliContext,
  flags: DemoFlags,
  scope: CommandScope,
  announce: Announce,
): Promise<DemoRun> {
  const { log, signal, teardown } = scope;
  const startedAtMs = given.clock.monotonic();
  const { written, config, ...files } = await prepare(given, flags.config ?? EXAMPLE, teardown);
  const hurried =
    flags.stay === true
      ? createHurriedClock(given.clock, given.clock.now() - PAST_DAYS * DAY_MS)
      : undefined;
  const context = { ...given, clock: hurried ?? given.clock };
  const sandbox = await startSandbox({
    clock: context.clock,
    keys: [config.api.key],
    quota: DEMO_QUOTA,
  });
  teardown.push("sandbox", () => sandbox.close());
  const scene = { context, log, sandbox };
  const scenario = await readScenario(context);
  if (hurried !== undefined) announce();
  const past =
    hurried &&
    (await livePast(scene, {
      hurried,
      machine: given.clock,
      config: pastConfig(written, config),
      scenario,
      signal,
    }));
  const played = playScenario(scenario, sandbox, context.clock);
  teardown.push("scenario", played.stop);
  const screen = createAlertScreen(context.out);
  const answers = createAnswerLog(context.http);
  const polled = { count: 0, byWatch: new Map<string, number>() };
  const start = () =>
    startOn(scene, config, {
      http: answers.http,
      write: screen.write,
      onPolled(watchIds) {
        polled.count += 1;
        for (const id of watchIds) polled.byWatch.set(id, (polled.byWatch.get(id) ?? 0) + 1);
      },
    });
  let daemon = await start();
  teardown.push("daemon", () => daemon.stop());
  const store = await openStore({
    path: config.state.path,
    clock: context.clock,
    random: context.random,
    log,
    readonly: true,
  });
  teardown.push("state reader", () => store.close());
  return {
    context,
    config,
    ...files,
    sandbox,
    store: past === undefined ? store : storeSince(store, past),
    screen,
    answers,
    signal,
    startedAtMs: past === undefined ? startedAtMs : context.clock.monotonic(),
    polled,
    past,
    url: () => daemon.url,
    finishScenario: played.finish,
    async restart() {
      await daemon.stop();
      answers.forget();
      polled.byWatch.clear();
      daemon = await start();
    },
    end: () => daemon.stop(),
    billed: async () => (await billedBy(scene)) - (past?.billed ?? 0),
  };
}

interface Prepared extends Pick<DemoRun, "config" | "configFile" | "ownConfigFile"> {
  readonly written: Config;
}

/**
 * Returns the configuration as it is written and as the demo changes it, and creates a folder for
 * the demo's state.
 */
async function prepare(
  given: CliContext,
  configFile: string,
  teardown: Teardown,
): Promise<Prepared> {
  const written = await requireConfig(onSandbox(given), configFile, { lenientSecrets: true });
  const folder = await makeTemporaryFolder("chirpwatch-demo-", given.env);
  teardown.push("temporary state", () => folder.remove());
  const statePath = join(folder.path, "demo.db");
  const config = demoConfig(written, {
    statePath,
    server: demoServer(written.server, given.env, () => given.random.id()),
  });
  const ownConfigFile = join(folder.path, "watches.yaml");
  // If the configuration is a folder, there is no text to copy. A file that contains only the path
  // of the state also leads other commands to the daemon.
  const text = await given.files.readText(configFile).catch(() => "");
  await writeTextFile(ownConfigFile, withStatePath(text, statePath), { overwrite: true });
  return { written, config, configFile, ownConfigFile };
}

interface StartOptions {
  readonly http: Http;
  readonly write: (text: string) => void;
  /** Called after each poll with the ids of its watches, or with none if the poll got no answer. */
  readonly onPolled: (watchIds: readonly string[]) => void;
}

const startOn = (
  { context, log, sandbox }: Scene,
  config: Config,
  { http, write, onPolled }: StartOptions,
): Promise<Daemon> =>
  startDaemon(config, {
    ...context,
    http,
    log,
    hash: sha256,
    addSecret: log.addSecret,
    write,
    load: async () => ({ ok: true, config }),
    watchFiles: false,
    sandboxUrl: sandbox.url,
    onPolled: ({ subscribers }, outcome) =>
      onPolled(outcome === undefined ? [] : subscribers.map(({ watch }) => watch.id)),
  });

interface PastScene {
  readonly hurried: HurriedClock;
  readonly machine: Clock;
  readonly config: Config;
  readonly scenario: readonly ScenarioTrack[];
  readonly signal: AbortSignal;
}

/**
 * How often the simulated days change scores. Without such changes scores vary too little to raise
 * an alert.
 */
const SCORES_EVERY_MS = 2 * DAY_MS;

/**
 * Plays the scenario's changes of scores; its other changes belong to the demo itself. Returns a
 * function to call as time passes.
 */
function playScores(
  { sandbox }: Scene,
  scenario: readonly ScenarioTrack[],
  begunMs: number,
): (nowMs: number) => void {
  const turns = scenario
    .flatMap((track) => track.turns)
    .filter((orders) => orders.every(({ post }) => post === "scores"));
  let played = 0;
  return (nowMs) => {
    const orders = turns[played % turns.length];
    if (orders === undefined || nowMs - begunMs < (played + 1) * SCORES_EVERY_MS) return;
    played += 1;
    for (const { post, body } of orders) sandbox.order(post, body);
  };
}

/**
 * Runs the same watches through the simulated days before the demo, on their written schedules.
 * Afterwards the clock runs at its usual speed.
 */
async function livePast(
  scene: Scene,
  { hurried, machine, config, scenario, signal }: PastScene,
): Promise<PastCounts> {
  const { context, log } = scene;
  const begunMs = hurried.now();
  const begunAt = machine.monotonic();
  const past = createPast(hurried, context.http);
  const playNext = playScores(scene, scenario, begunMs);
  let polls = 0;
  const daemon = await past.during(
    startOn(scene, config, {
      http: past.http,
      write: () => undefined,
      onPolled: () => void (polls += 1),
    }),
  );
  const livedFrom = machine.monotonic();
  try {
    await past.live(
      begunMs + PAST_DAYS * DAY_MS,
      () => machine.monotonic() - livedFrom,
      (nowMs) => {
        if (signal.aborted) throw interrupted();
        playNext(nowMs);
      },
    );
  } finally {
    await past.during(daemon.stop());
    hurried.keepTime();
  }
  const store = await openStore({
    path: config.state.path,
    clock: hurried,
    random: context.random,
    log,
    readonly: true,
  });
  try {
    return {
      ...(await countPast(store)),
      polls,
      billed: await billedBy(scene),
      untilMs: hurried.now(),
      tookMs: machine.monotonic() - begunAt,
    };
  } finally {
    await store.close();
  }
}

export const interrupted = (): ExitError =>
  new ExitError(EXIT.failed, "DEMO_INTERRUPTED", "the demo was interrupted");

const readScenario = async ({ files }: CliContext): Promise<readonly ScenarioTrack[]> =>
  JSON.parse(await files.readText(SCENARIO)) as readonly ScenarioTrack[];

/**
 * Returns a context in which the demo uses only the sandbox, regardless of the environment, so that
 * a configuration that needs a key works without one.
 */
const onSandbox = (context: CliContext): CliContext => ({
  ...context,
  env: { ...context.env, CHIRPWATCH_API_URL: "sandbox", CHIRPWATCH_API_KEY: "sandbox" },
});

async function billedBy({ context, sandbox }: Scene): Promise<number> {
  const answer = await context.http.request({
    method: "GET",
    url: `${sandbox.url}/_sandbox/requests`,
    timeoutMs: 2_000,
    maxBytes: 4_000_000,
    reach: "loopback",
  });
  return Number((JSON.parse(answer.body) as { billed?: unknown }).billed ?? 0);
}
