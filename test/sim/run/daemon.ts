/**
 * The daemon of a simulation: `startDaemon` with every port simulated. It can be stopped, killed at
 * a named point and started again on the same state. Owns its lives and the control over them; the
 * world around it comes from elsewhere.
 */
import type { Hono } from "hono";
import { type Daemon, startDaemon } from "../../../src/app/build.ts";
import type { Adapters } from "../../../src/app/daemon/daemon-deps.ts";
import { checkSandboxGuard } from "../../../src/config/guard.ts";
import { type LoadResult, loadConfig } from "../../../src/config/load/load-config.ts";
import { formatIssue } from "../../../src/config/report.ts";
import type { Clock } from "../../../src/model/clock.ts";
import type { Files } from "../../../src/model/files.ts";
import type { Http } from "../../../src/model/http.ts";
import type { Log } from "../../../src/model/log.ts";
import type { Outputs } from "../../../src/model/outputs.ts";
import type { Random } from "../../../src/model/random.ts";
import { createTemplateRenderer } from "../../../src/render/templates/template-renderer.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import type { RouteDeps } from "../../../src/server/load-routes.ts";
import { createRoutes } from "../../../src/server/routes.ts";
import { SINK_TYPES } from "../../../src/sinks/registry.ts";
import type { OpenedStore } from "../../../src/state/open.ts";
import { WATCH_TYPES } from "../../../src/watches/registry.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import type { VirtualClock } from "../../support/virtual-clock.ts";
import type { Disk } from "./disk.ts";
import { createLife, type Life } from "./life.ts";

export interface LogLine {
  readonly atMs: number;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface SimDaemonOptions {
  readonly seed: number;
  readonly clock: VirtualClock;
  /** The world's clock, for the record. */
  readonly worldClock: Clock;
  /** Returns the home of a new life. */
  readonly home: () => Home;
  /** Returns the number of the next life. Numbers are unique over all processes. */
  readonly nextLife: () => number;
  readonly files: Files;
  readonly configPath: string;
  /** Returns the network as one life reaches it. */
  readonly http: (life: number) => Http;
  readonly write: (text: string, life: number) => void;
  readonly outputs: (life: number) => Outputs;
  /** See life.ts. */
  readonly lateMs: number;
  /** The source of jitter. By default the daemon's own random source, which also makes its ids. */
  readonly jitter?: Pick<Random, "float"> | undefined;
  readonly onLog: (line: LogLine) => void;
  readonly onEnd: (point: string, life: number) => void;
  /** Called when a life begins, before it does anything. */
  readonly onLife?: ((life: Life, number: number) => void) | undefined;
  /** Called when other replicas took over. The daemon must then be stopped. */
  readonly onReplaced: () => void;
}

/** The place where a life keeps its state. */
export interface Home extends Pick<Disk, "onCommit" | "kill"> {
  openStore(request: Parameters<Adapters["openStore"]>[0], life: Life): Promise<OpenedStore>;
  cutOff?(): void;
  part?(forMs: number): void;
}

export interface SimDaemon {
  /** The number of the life that runs now, or ran last. */
  readonly life: number;
  start(): Promise<void>;
  /** Stops it as a signal does. */
  stop(): Promise<void>;
  kill(): void;
  /** Retires it, because it has come to its end by itself. */
  retire(): void;
  /** Calls `act` when the point is passed for the `nth` time from now on. */
  at(point: string, nth: number, act: () => void): void;
  /** Ends it at this point. */
  end(point: string): void;
  stall(forMs: number): void;
  /** Cuts its connections to the database server. */
  cutOff(): void;
  /** Lets nothing through to the database server for this time. */
  part(forMs: number): void;
  reload(): Promise<unknown>;
  /** Sends a request to the daemon's own API. Returns undefined while none runs. */
  ask(
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly text: string } | undefined>;
}

export async function loadFrom(files: Files, path: string): Promise<LoadResult> {
  const loaded = await loadConfig({
    path,
    files,
    env: { CHIRPWATCH_ALLOW_EXEC: "/usr/local/bin/on-alert" },
    watchTypes: WATCH_TYPES,
    sinkTypes: SINK_TYPES,
    withStored: true,
  });
  const refusals = loaded.ok ? checkSandboxGuard(loaded.config, SINK_TYPES) : [];
  return loaded.ok && refusals.length > 0 ? { ok: false, issues: refusals } : loaded;
}

export function createSimDaemon(options: SimDaemonOptions): SimDaemon {
  const { clock, files, configPath } = options;
  let number = 0;
  let life: Life | undefined;
  let home: Home | undefined;
  let daemon: Daemon | undefined;
  let routes: Hono | undefined;

  const load = () => loadFrom(files, configPath);
  const adaptersOf = (own: Life, { openStore }: Home): Adapters => ({
    openStore: async (request) =>
      own.cut(await own.cut({ open: () => openStore(request, own) }, "state").open(), "store"),
    startControl: async (deps, statePath) => {
      const answerWith = (given: RouteDeps) =>
        void (routes = "idle" in given ? undefined : createRoutes(given, { kind: "socket" }));
      answerWith(deps);
      return {
        path: `${statePath}.sock`,
        answerWith,
        close: async () => void (routes = undefined),
      };
    },
    startTemplates: (templates) => {
      // Renders in this process and without a limit in real time, so that the same seed gives the
      // same messages.
      const render = createTemplateRenderer(templates);
      return { run: async (jobs) => jobs.map(render), stop: async () => undefined };
    },
    startServer: async ({ host, port }) => ({
      url: `http://${host}:${port}`,
      answerWith: () => undefined,
      visit: async () => undefined,
      close: async () => undefined,
    }),
    // The process reuses its memory for all seeds that it plays, so there is no need to collect
    // garbage.
    collectGarbage: () => undefined,
  });

  const start = async () => {
    number = options.nextLife();
    const ownNumber = number;
    const onEnd = (point: string) => {
      daemon = undefined;
      routes = undefined;
      options.onEnd(point, ownNumber);
    };
    const ownHome = options.home();
    const own = createLife({ disk: ownHome, clock, lateMs: options.lateMs, onEnd });
    life = own;
    home = ownHome;
    options.onLife?.(own, ownNumber);
    const loaded = await load();
    if (!loaded.ok)
      throw new Error(
        `the configuration is refused: ${loaded.issues
          .filter(({ severity }) => severity === "error")
          .map(formatIssue)
          .join("\n")}`,
      );
    const random = {
      ...createSeededRandom(options.seed * 1_000 + ownNumber),
      ...options.jitter,
    };
    const started = await startDaemon(loaded.config, {
      clock: own.clock,
      random,
      hash: sha256,
      http: own.cut(options.http(ownNumber), "http"),
      files: own.cut(files, "files"),
      log: logOf(own, options),
      version: "0.0.0",
      outputs: own.cut(options.outputs(ownNumber), "outputs"),
      write: (text) => (own.isOver ? undefined : options.write(text, ownNumber)),
      addSecret: () => undefined,
      onRefused: () => (own.isOver ? undefined : options.onReplaced()),
      load,
      watchFiles: false,
      adapters: adaptersOf(own, ownHome),
    });
    if (!own.isOver) daemon = started;
  };

  return {
    get life() {
      return number;
    },
    start,
    async stop() {
      await daemon?.stop();
      life?.retire();
    },
    kill: () => life?.end(),
    retire: () => life?.retire(),
    at: (point, nth, act) => life?.at(point, nth, act),
    end: (point) => life?.end(point),
    stall: (forMs) => life?.stall(forMs),
    cutOff: () => home?.cutOff?.(),
    part: (forMs) => home?.part?.(forMs),
    reload: async () => life?.awake(() => daemon?.reload("SIGHUP")),
    async ask(method, path, body) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await life?.awake(() =>
        routes?.request(`http://localhost${path}`, { method, ...sent }),
      );
      return answer === undefined
        ? undefined
        : { status: answer.status, text: await answer.text() };
    },
  };
}

function logOf(life: Life, { worldClock, onLog }: SimDaemonOptions): Log {
  const take =
    (level: LogLine["level"]) => (message: string, fields?: Readonly<Record<string, unknown>>) => {
      if (!life.isOver) onLog({ atMs: worldClock.now(), level, message, fields: fields ?? {} });
    };
  const log: Log = {
    debug: take("debug"),
    info: take("info"),
    warn: take("warn"),
    error: take("error"),
    child: () => log,
  };
  return log;
}
