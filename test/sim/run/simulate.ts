/**
 * Plays one scenario from beginning to end on a virtual clock and returns everything that was seen.
 * Checks nothing.
 */
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../../src/model/clock.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { HttpError, type Http } from "../../../src/model/http.ts";
import type { Outputs } from "../../../src/model/outputs.ts";
import type { Random } from "../../../src/model/random.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { makeStateFolder } from "../../support/state-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";
import type { ConfigText, Scenario, Step } from "../draw/scenario.ts";
import { DAEMON } from "../../../src/state/membership/postgres-replicas.ts";
import { type OpenedStore, openStore } from "../../../src/state/open.ts";
import { configDigest } from "../../../src/app/fleet/revisions.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { activate } from "./fleet/activate.ts";
import { createSimDaemon, type Home, loadFrom, type LogLine } from "./daemon.ts";
import { useDisk } from "./disk.ts";
import { createEnrichStandIn, ENRICH_HOST, ENRICH_PROGRAM } from "./enrich-stand-in.ts";
import { createMachine } from "./fleet/machine.ts";
import { SimServer } from "./fleet/server.ts";
import type { LifeSpan } from "./keeper.ts";
import type { Life } from "./life.ts";
import { createMemoryFiles } from "./memory-files.ts";
import type { ActSpan } from "./acting.ts";
import { createOperator, type OperatorDeps } from "./operator.ts";
import { readBack } from "./read-back.ts";
import { type LeftState, readState } from "./read-state.ts";
import type { SilenceSpan } from "./silencing.ts";
import { createReceivers, type Attempt } from "./sinks.ts";
import { type Asked, createSimService, SERVICE_ORIGIN, type SimService } from "./service.ts";
import { createWorldHistory, type WorldHistory } from "./world-history.ts";

/** A configuration and when it became active. Times are the world's. */
export interface Epoch {
  readonly fromMs: number;
  readonly config: ConfigText;
}

export interface Played {
  readonly scenario: Scenario;
  readonly endMs: number;
  readonly world: WorldHistory;
  readonly attempts: readonly Attempt[];
  readonly asked: readonly Asked[];
  readonly epochs: readonly Epoch[];
  readonly lives: readonly LifeSpan[];
  readonly silences: readonly SilenceSpan[];
  readonly acts: readonly ActSpan[];
  readonly logged: readonly LogLine[];
  /** The billed requests that left the daemon, whether they arrived or not, by key. */
  readonly sent: ReadonlyMap<string, number>;
  readonly left: LeftState;
  /** The final status of the daemon that ran last. Undefined if none ran. */
  readonly status: JsonObject | undefined;
  /** The final status of each daemon that ran. */
  readonly statuses: readonly JsonObject[];
  /** The id of the replica that held the leader's lock at the end. Undefined if none did. */
  readonly leader: string | undefined;
  /** Failures of the simulation itself, such as a start that never ended. */
  readonly failures: readonly string[];
  /** Everything that happened, in order, and its hash. */
  readonly trace: readonly string[];
  readonly hash: string;
}

const CONFIG_PATH = "/etc/chirpwatch/watches.yaml";

/** The shortest calm, and how often the simulation checks whether the calm may end. */
const MIN_CALM_MS = 16 * 60_000;
const MIN_OF_SEVERAL_MS = 12 * 60_000;
const CALM_STEP_MS = 20 * 60_000;
const MAX_TURNS_OF_A_STATUS = 20;

/** Interventions in the lives of the daemons, beside those of the scenario. */
export interface Meddling {
  /** Called when a life begins, before it does anything. */
  onLife(life: Life, replica: number, number: number): void;
  /** How long a cut process stays down. */
  readonly downMs: number;
}

/**
 * Simulates a scenario. @param isSettled returns whether nothing more can happen. Most scenarios
 * then skip the rest of the calm. @param inspect is given the state's file, which is removed
 * afterwards
 */
export async function simulate(
  scenario: Scenario,
  isSettled: (played: Played) => boolean,
  meddling?: Meddling,
  inspect?: (statePath: string, played: Played) => Promise<void>,
): Promise<Played> {
  const folder = makeStateFolder();
  const run = createRun(scenario, folder, meddling);
  const { now } = Date;
  // The SDKs of Slack and Discord read the time without a port.
  Date.now = run.now;
  try {
    await run.play(isSettled);
    const played = run.result();
    await inspect?.(run.statePath, played);
    return played;
  } finally {
    Date.now = now;
    run.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

function createRun(scenario: Scenario, folder: string, meddling: Meddling | undefined) {
  const { startMs, replicas = 1 } = scenario;
  const clock = createVirtualClock(startMs);
  const worldClock = trueClock(clock, startMs);
  const trace = createTrace(clock);
  const random = createSeededRandom(scenario.seed + 1);
  const jitter = scenario.isPacedByTime === true ? timedRandom(scenario, clock) : undefined;
  const service = createSimService({
    seed: scenario.seed,
    clock: worldClock,
    random: { ...random, ...jitter },
    keys: scenario.keys,
  });
  const receivers = createReceivers({
    clock: worldClock,
    random,
    onAttempt: (attempt) => trace.attempt(attempt),
  });
  const enrichStandIn = createEnrichStandIn(worldClock, {
    ...createSeededRandom(scenario.seed + 2),
    ...(jitter === undefined ? {} : ANSWERING),
  });
  const outputs = (life: number): Outputs => {
    const sinks = receivers.outputs(life);
    const run: Outputs["run"] = (asked, signal) =>
      (asked.args[0] === ENRICH_PROGRAM ? enrichStandIn : sinks).run(asked, signal);
    return { ...sinks, run };
  };
  const world = createWorldHistory(service, startMs);
  const files = createMemoryFiles();
  const logged: LogLine[] = [];
  const http = (life: number): Http => ({
    request: (request) => {
      const url = new URL(request.url);
      if (url.origin === SERVICE_ORIGIN) return service.request(request);
      if (url.hostname === "beat.example")
        return Promise.resolve({ status: 200, headers: {}, body: "" });
      if (url.hostname === ENRICH_HOST) return enrichStandIn.request(request);
      const answer = receivers.request(request, life);
      return (
        answer ??
        Promise.reject(
          new HttpError("HTTP_DNS", `${url.hostname}: the host name could not be resolved`, false),
        )
      );
    },
  });
  const disk = useDisk(folder);
  const statePath = join(folder, "state.db");
  let server: SimServer | undefined;
  let store: OpenedStore | undefined;
  const home = (replica: number) => (): Home => {
    const own: Home =
      server === undefined
        ? Object.assign(disk, { openStore })
        : createMachine(server, `10.0.0.${replica + 1}`);
    const open = own.openStore;
    return Object.assign(own, {
      openStore: async (...request: Parameters<typeof open>) => (store = await open(...request)),
    });
  };
  let lives = 0;
  const createDaemon: OperatorDeps["createDaemon"] = (replica, hooks) =>
    createSimDaemon({
      ...{
        seed: scenario.seed,
        clock: skewed(clock, scenario.skewsMs?.[replica] ?? 0),
        worldClock,
        files,
        configPath: CONFIG_PATH,
        http,
        write: receivers.write,
        outputs,
        ...hooks,
      },
      ...{ home: home(replica), jitter },
      lateMs: scenario.lateMs ?? 0,
      onLife:
        meddling === undefined
          ? undefined
          : (life, number) => meddling.onLife(life, replica, number),
      nextLife: () => (lives += 1),
      onLog: (line) => {
        logged.push(line);
        trace.note(`${line.level} ${line.message}`);
      },
    });
  const putConfig = (config: ConfigText) => {
    const whole = {
      ...config,
      state: { ...(config["state"] as object | undefined), path: statePath },
    };
    files.put(CONFIG_PATH, world.resolve(JSON.stringify(whole)));
  };
  const stored = new Set<string>();
  const activateConfig = async () => {
    const loaded = await loadFrom(files, CONFIG_PATH);
    if (!loaded.ok || server === undefined) return;
    // Two texts may be the same configuration.
    const digest = configDigest(loaded.config, "", sha256);
    if (stored.has(digest)) await activate(server, loaded.config, random);
    stored.add(digest);
  };
  const operator = createOperator({
    clock,
    worldClock,
    replicas,
    createDaemon,
    activate: replicas > 1 ? activateConfig : undefined,
    isServerAway: () => server?.isAway === true,
    putConfig,
    note: trace.note,
    readBack: async (step) => readBack(step, { world, store, nowMs: worldClock.now() }),
    downMs: meddling?.downMs,
  });
  for (const [name, text] of Object.entries(scenario.files))
    files.put(`/etc/chirpwatch/${name}`, text);

  const act = (step: Step): void => {
    switch (step.do) {
      case "service fault":
        return switchOn(service, step);
      case "service heals":
        return void service.order("DELETE", "faults");
      case "sink trouble":
        return receivers.trouble(step.sink, step.kind, step.times);
      case "sink heals":
        return receivers.trouble(step.sink, undefined);
      case "server away":
        return server?.stopFor(step.forMs);
      case "jump":
        return clock.jump(step.byMs);
      case "crash":
      case "restart":
      case "stall":
      case "cut off":
      case "part":
      case "reload":
      case "pause":
      case "resume":
      case "silence":
      case "end silence":
      case "mark":
      case "hold":
      case "end hold":
      case "ask":
      case "backfill":
        return operator.act(step);
      default:
        return world.follow(step);
    }
  };
  let statuses: readonly JsonObject[] = [];
  let leader: string | undefined;
  const askStatus = async () => {
    const answers: JsonObject[] = [];
    let waiting = 0;
    for (const asked of operator.askEach("GET", "/api/v1/status")) {
      waiting += 1;
      asked
        .then(
          (answer) => {
            const status = answer?.status === 200 ? (JSON.parse(answer.text) as JsonObject) : {};
            if (status["watches"] !== undefined) answers.push(status);
          },
          () => undefined,
        )
        .finally(() => (waiting -= 1));
    }
    // A status takes many turns of the event loop. If it needs time on the clock, it does not
    // describe this moment.
    for (let turns = 0; waiting > 0 && turns < MAX_TURNS_OF_A_STATUS; turns += 1)
      await clock.advance(0);
    statuses = [...answers];
    leader = server?.leader?.name.slice(DAEMON.length);
  };
  const played = (): Played => ({
    ...{ scenario, world, logged, status: statuses[0], statuses, leader, endMs: worldClock.now() },
    ...{ epochs: operator.epochs, lives: operator.lives, silences: operator.silences },
    acts: operator.acts,
    failures: [...operator.failures, ...(server?.objections ?? [])],
    attempts: receivers.attempts,
    asked: service.asked,
    sent: service.sent,
    left: readState(statePath),
    trace: trace.lines,
    hash: trace.hash(),
  });
  /** Resumes sinks that were disabled because the receiver answered that its address is gone. */
  const resumeSinks = async () => {
    const gone = receivers.attempts.filter(
      ({ wire, status }) => wire === "webhook" && status === 410,
    );
    for (const sink of new Set(gone.map((attempt) => attempt.sink)))
      operator.ask("POST", `/api/v1/sinks/${sink}/resume`).catch(() => undefined);
    await clock.advance(0);
  };
  const advanceTo = (trueMs: number) => clock.advance(Math.max(0, trueMs - worldClock.now()));
  return {
    statePath,
    now: clock.now,
    end() {
      operator.kill();
      server?.stop();
      disk.leave();
    },
    async play(isSettled: (soFar: Played) => boolean) {
      for (const order of scenario.before) world.follow(order);
      if (replicas > 1) server = await SimServer.start(statePath, worldClock);
      operator.begin(scenario.config, scenario.startsMs);
      for (const step of scenario.steps) {
        await advanceTo(startMs + step.atMs);
        trace.note(step.do);
        act(step);
      }
      const calmFromMs = startMs + scenario.busyMs;
      // A daemon that is starting answers a minute later, and one that is stopped after 10 minutes.
      for (const afterMs of [0, 60_000, 240_000, 660_000]) {
        await advanceTo(calmFromMs + Math.min(afterMs, scenario.calmMs));
        await resumeSinks();
      }
      const leastMs = replicas > 1 ? MIN_OF_SEVERAL_MS : MIN_CALM_MS;
      await advanceTo(
        calmFromMs + (scenario.isWholeCalm ? scenario.calmMs : Math.min(leastMs, scenario.calmMs)),
      );
      await askStatus();
      while (worldClock.now() < calmFromMs + scenario.calmMs && !isSettled(played())) {
        await advanceTo(Math.min(worldClock.now() + CALM_STEP_MS, calmFromMs + scenario.calmMs));
        await askStatus();
      }
    },
    result(): Played {
      operator.kill();
      return played();
    },
  };
}

function switchOn(
  service: SimService,
  { name, times, forMs, endpoint, handle }: Step & { do: "service fault" },
): void {
  service.order("POST", "faults", {
    name,
    ...(times === undefined ? {} : { times }),
    ...(forMs === undefined ? {} : { for_ms: forMs }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(handle === undefined ? {} : { username: handle }),
  });
}

/** Random numbers with which the enrichment stand-in answers soon. */
const ANSWERING = { float: () => 0.5 };

/** Returns the same number for everything drawn at one time. */
const timedRandom = (
  { seed }: Scenario,
  { monotonic }: Pick<Clock, "monotonic">,
): Pick<Random, "float"> => ({ float: () => createSeededRandom(seed + monotonic()).float() });

const skewed = (clock: VirtualClock, byMs: number): VirtualClock =>
  byMs === 0 ? clock : { ...clock, now: () => clock.now() + byMs };

/** Returns the world's own clock, which no operator sets. */
const trueClock = (clock: VirtualClock, startMs: number): Clock => {
  const originMs = clock.monotonic();
  return {
    now: () => startMs + clock.monotonic() - originMs,
    monotonic: clock.monotonic,
    after: clock.after,
  };
};

function createTrace(clock: VirtualClock) {
  const lines: string[] = [];
  const note = (text: string) => void lines.push(`${clock.monotonic()} ${clock.now()} ${text}`);
  return {
    note,
    lines,
    attempt: ({ sink, wire, text, accepted, status }: Attempt) =>
      note(`${wire} ${sink} ${accepted} ${status} ${text}`),
    hash: () => createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16),
  };
}
