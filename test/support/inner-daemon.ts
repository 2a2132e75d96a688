/**
 * The whole daemon in this process, as `run` starts it, against the sandbox over real HTTP, with
 * webhooks as its sinks. Daemon and sandbox use one virtual clock, so that hours pass in a moment.
 * The clock waits for every answer before it moves on.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Daemon, startDaemon } from "../../src/app/build.ts";
import type { Adapters } from "../../src/app/daemon/daemon-deps.ts";
import type { Config } from "../../src/config/config.ts";
import type { Clock } from "../../src/model/clock.ts";
import type { Files } from "../../src/model/files.ts";
import type { Http } from "../../src/model/http.ts";
import type { Log } from "../../src/model/log.ts";
import { createTemplateRenderer } from "../../src/render/templates/template-renderer.ts";
import { createFiles } from "../../src/runtime/files.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { startControl } from "../../src/server/control-socket.ts";
import { startServer } from "../../src/server/server.ts";
import type { StatusView } from "../../src/server/schema/status-view.ts";
import { type OpenedStore, openStore, type OpenOptions } from "../../src/state/open.ts";
import { goodConfig } from "../config/load-text.ts";
import { countingHttp } from "./counting-http.ts";
import { HOOK_SECRET, type HookReceiver, startHookReceiver } from "./hook-receiver.ts";
import { startLoopbackServer } from "./loopback-server.ts";
import { createSeededRandom } from "./seeded-random.ts";
import { createKillableLife, type KillableLife } from "./killable-life.ts";
import { makeEmptyState } from "./empty-state.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

export interface InnerDaemon {
  readonly clock: VirtualClock;
  /** The receiver of the watches' alerts. */
  readonly hook: HookReceiver;
  /** Returns the text of each message in the chat. Empty without the option `chat`. */
  readonly chat: () => readonly string[];
  /** Returns the ops alerts in order, as event types and messages. */
  readonly opsAlerts: () => readonly { readonly type: string; readonly message: string }[];
  /** The number of messages that carried the ops alerts. */
  readonly opsMessages: () => number;
  /** Log lines at level debug, each only once, because thousands repeat. */
  readonly debugged: ReadonlySet<string>;
  readonly logged: readonly {
    readonly level: string;
    readonly message: string;
    readonly fields: unknown;
  }[];
  /** Values that no log line may show. */
  readonly secrets: readonly string[];
  status(): Promise<StatusView>;
  /** Returns the status page. */
  page(): Promise<string>;
  /** Submits a form. Returns the page that it leads to, or its answer if that is a page itself. */
  submit(path: string, fields?: Readonly<Record<string, string>>): Promise<string>;
  /** Returns the metrics as Prometheus reads them. */
  metrics(): Promise<string>;
  /**
   * Returns the value of a metric. `labels` are as they are written. Undefined if it has no value
   * yet.
   */
  metric(name: string, labels?: string): Promise<number | undefined>;
  /** Stops it as a signal does. The clock goes on meanwhile. */
  stop(): Promise<void>;
  /**
   * Kills it after this many more calls to its state and the network, and answers of these. Only
   * with `isKillable`. `beside` is called once it is dead, to cut other connections.
   */
  kill(steps: number, beside?: () => void): Promise<void>;
  /** Starts another daemon on the same state, with the configuration that the options give now. */
  start(): Promise<void>;
  /** Reloads with other settings under `api`, and with the watches that the options give now. */
  reload(api?: object): Promise<void>;
  /** The receiver of every ops alert. */
  readonly ops: HookReceiver;
  /** Returns the configuration that the daemon was given last. */
  config(): Config;
  /** Returns the configuration that the options give now, without giving it to a daemon. */
  configNow(): Promise<Config>;
  /** Returns the status of /healthz. */
  health(): Promise<number>;
  /** Returns the JSON of a path below `/api/v1/`. `POST` and `DELETE` change something. */
  call(path: string, method?: "POST" | "DELETE", body?: object): Promise<any>;
  /** Sends one request to the sandbox as another user of the key. Returns the status. */
  ask(path: string): Promise<number>;
  /**
   * Sends one request to the sandbox's control API. A body makes it a POST. @throws Error unless it
   * answers 200
   */
  control(path: string, body?: object, method?: string): Promise<any>;
}

const START_MS = Date.UTC(2026, 2, 6, 13, 38, 49);
/** The keys of the sandbox. The daemon has both, with names, unless a test chooses one. */
export const KEY = "K1";
const SECOND_KEY = "K2";
/** The `api` section of a daemon with only one of the keys. */
export const ONE_KEY = { keys: [{ key: KEY, name: "main" }] } as const;

export type Control = InnerDaemon["control"];

export interface InnerDaemonOptions {
  /** Called after `prepare`. */
  readonly watches: () => object;
  /** More settings of `api`. */
  readonly api?: object;
  /** Adds a Slack channel beside the webhook. */
  readonly chat?: true;
  /** More settings of the webhook. */
  readonly sink?: object;
  /** More settings of `state`. */
  readonly state?: object;
  /** More sections of the configuration, or other values for them. */
  readonly more?: object;
  /** The sink that ops uses instead of one of its own. */
  readonly opsSink?: "hook";
  /** Changes the world before the daemon sees it. */
  readonly prepare?: (control: Control) => Promise<unknown>;
  /** Wraps the network of the daemon. The clock does not wait for requests that it holds back. */
  readonly httpFilter?: (http: Http) => Http;
  /** Overrides what the machine reports about its files. */
  readonly files?: Partial<Files>;
  /** Makes it possible to kill the daemon. */
  readonly isKillable?: true;
  /** Wraps the state of the daemon. */
  readonly storeFilter?: (store: OpenedStore) => OpenedStore;
}

const REQUESTS = 10_000_000;

/** Renders templates in this process. A thread would use another clock. */
export const startTemplates: NonNullable<Adapters["startTemplates"]> = (templates) => {
  const render = createTemplateRenderer(templates);
  return { run: async (jobs) => jobs.map(render), stop: async () => undefined };
};

const keysFor = (settings: object): object =>
  "keys" in settings
    ? {}
    : {
        keys: [
          { key: KEY, name: "first" },
          { key: SECOND_KEY, name: "second" },
        ],
      };

/** Starts a daemon that is ended when the test ends. */
export async function startInnerDaemon(options: InnerDaemonOptions): Promise<InnerDaemon> {
  const { watches, api = {}, chat, prepare, httpFilter, storeFilter = (store) => store } = options;
  const adapters = {
    openStore: async (asked: OpenOptions) => storeFilter(await openStore(asked)),
    startControl,
    startServer,
    startTemplates,
  };
  const folder = makeEmptyState();
  const { http, settle, settleTimer, closeHttp } = countingHttp();
  const clock = createVirtualClock(START_MS, settle, settleTimer);
  const sandbox = await startSandbox({
    clock: withoutJumps(clock),
    keys: [KEY, SECOND_KEY],
    accounts: 20,
    quota: REQUESTS,
  });
  const control: Control = async (path, body, method = body === undefined ? "GET" : "POST") => {
    const answer = await fetch(`${sandbox.url}/_sandbox/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  const ask = async (path: string) => {
    const answer = await fetch(`${sandbox.url}/v3/${path}`, { headers: { ApiKey: KEY } });
    await answer.text();
    return answer.status;
  };
  await prepare?.(control);
  const [hook, ops] = [await startHookReceiver(), await startHookReceiver()];
  const slack = await startLoopbackServer((_, response) => response.end("ok"));
  const chatSinks = {
    chat: {
      type: "slack",
      webhook_url: `${slack.url}/services/T0/B0/x`,
      api_url: `${slack.url}/api/`,
    },
  };
  const secrets: string[] = [];
  const debugged = new Set<string>();
  const logged: { level: string; message: string; fields: unknown }[] = [];
  const configWith = (settings: object) =>
    goodConfig(
      JSON.stringify({
        version: 1,
        api: {
          base_url: sandbox.url,
          ...keysFor(settings),
          quota: { monthly: REQUESTS },
          ...settings,
        },
        state: { path: join(folder, "state.db"), ...options.state },
        server: { listen: "127.0.0.1:0" },
        watches: watches(),
        sinks: {
          hook: { ...sinkOf(hook), ...options.sink },
          ops: sinkOf(ops),
          ...(chat === true ? chatSinks : {}),
        },
        route: { sink: chat === true ? ["hook", "chat"] : "hook" },
        ops: { sink: options.opsSink ?? "ops" },
        ...options.more,
      }),
    );
  let config = await configWith(api);
  let lastApi = api;
  const run = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    void work.finally(() => (isOver = true)).catch(() => undefined);
    while (!isOver) await clock.advance(20);
    return work;
  };
  const random = createSeededRandom(1);
  let life: KillableLife | undefined;
  const boot = (): Promise<Daemon> => {
    life = options.isKillable === true ? createKillableLife() : undefined;
    const reached = httpFilter?.(http) ?? http;
    return run(
      startDaemon(config, {
        clock: life?.clock(clock) ?? clock,
        random,
        hash: sha256,
        http: life?.http(reached) ?? reached,
        files: { ...createFiles(), ...options.files },
        log: recordingLog(logged, debugged),
        version: "0.0.0",
        write: () => undefined,
        outputs: createOutputs(),
        addSecret: (secret) => void secrets.push(secret),
        load: async () => ({ ok: true, config }),
        watchFiles: false,
        adapters: life?.adapters(adapters) ?? adapters,
      }),
    );
  };
  let daemon = await boot();
  const stop = () => run(daemon.stop());
  const kill = async (steps: number, beside = () => {}) => {
    if (life === undefined) throw new Error("this daemon cannot be killed");
    life.endAfter(steps);
    while (!life.isOver) await clock.advance(20);
    beside();
    await life.release();
  };
  const start = async () => {
    config = await configWith(lastApi);
    daemon = await boot();
  };
  const reload = async (settings: object = api) => {
    lastApi = settings;
    config = await configWith(settings);
    await run(daemon.reload("test"));
  };
  onTestFinished(async () => {
    await stop();
    await Promise.all([sandbox.close(), hook.close(), ops.close(), slack.close(), closeHttp()]);
    rmSync(folder, { recursive: true, force: true });
  });
  const read = (path: string) => fetch(`${daemon.url.replace(/\/$/, "")}/${path}`);
  const status = async () => (await (await read("api/v1/status")).json()) as StatusView;
  const call = async (path: string, method: "GET" | "POST" | "DELETE" = "GET", body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return (
      await fetch(`${daemon.url.replace(/\/$/, "")}/api/v1/${path}`, { method, ...sent })
    ).json();
  };
  const health = async () => (await read("healthz")).status;
  const page = async () => (await read("")).text();
  const submit = async (path: string, fields: Readonly<Record<string, string>> = {}) =>
    (
      await fetch(`${daemon.url.replace(/\/$/, "")}/${path}`, {
        method: "POST",
        body: new URLSearchParams(fields),
      })
    ).text();
  const metrics = async () => (await read("metrics")).text();
  const metric = async (name: string, labels = "") => {
    const series = labels === "" ? name : `${name}{${labels}}`;
    const value = (await metrics())
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.split(" ")[1];
    return value === undefined ? undefined : Number(value);
  };
  const opsAlerts = () =>
    ops.events().map(({ type, data }) => ({ type, message: String(data.message ?? "") }));
  const chatTexts = () => slack.received.map(({ body }) => String(JSON.parse(body).text));
  return {
    clock,
    hook,
    chat: chatTexts,
    opsAlerts,
    opsMessages: () => ops.messages().length,
    logged,
    debugged,
    secrets,
    ops,
    status,
    health,
    page,
    submit,
    call,
    metrics,
    metric,
    stop,
    kill,
    start,
    reload,
    ask,
    control,
    config: () => config,
    configNow: () => configWith(lastApi),
  };
}

/** Returns the service's clock. It goes on when the operator sets the daemon's clock. */
function withoutJumps(clock: VirtualClock): Clock {
  const offsetMs = clock.now() - clock.monotonic();
  return { ...clock, now: () => clock.monotonic() + offsetMs };
}

const sinkOf = (hook: HookReceiver) => ({
  type: "webhook",
  url: hook.url,
  secret: HOOK_SECRET,
  allow_private: true,
});

function recordingLog(
  lines: { level: string; message: string; fields: unknown }[],
  debugged: Set<string>,
): Log {
  const take = (level: string) => (message: string, fields?: unknown) =>
    void lines.push({ level, message, fields });
  const debug = (message: string) => void debugged.add(message);
  const log: Log = {
    debug,
    info: take("info"),
    warn: take("warn"),
    error: take("error"),
    child: () => log,
  };
  return log;
}
