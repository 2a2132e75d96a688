/**
 * Changes a configuration for the demo, so that it is fast and sends nothing to other machines.
 * Pure; demo.ts runs the demo.
 */
import type { Config, ServerConfig, SinkConfig } from "../../config/config.ts";
import { namesListen } from "../../config/check/server-environment.ts";
import type { Environment } from "../../model/files.ts";
import type { Priority } from "../../model/schedule.ts";
import type { Route, Shaping } from "../../route/route.ts";

/**
 * The polling interval that replaces the schedules of each priority. The intervals are short
 * because people watch the demo.
 */
export const DEMO_INTERVALS_MS: Readonly<Record<Priority, number>> = {
  high: 1_000,
  normal: 2_000,
  low: 3_000,
};

/** How often digests are sent, instead of every morning. */
export const DEMO_DIGEST_MS = 3_000;

/** The maximum time that alerts of a group wait to be sent together. */
const DEMO_GROUP_MS = 2_000;

/** A quota that no demo can use up, so that it slows nothing down. */
export const DEMO_QUOTA = 1_000_000_000;

export interface DemoPlaces {
  readonly statePath: string;
  readonly server: ServerConfig;
}

/**
 * Returns the same watches on the sandbox. Every sink is replaced by the console, and the state and
 * the status page are at `places`. Nothing leaves the machine.
 */
export function demoConfig(config: Config, { statePath, server }: DemoPlaces): Config {
  const { route, ...rest } = config;
  return {
    ...rest,
    api: {
      baseUrl: "sandbox",
      key: "sandbox",
      timeoutMs: config.api.timeoutMs,
      rate: config.api.rate,
      quota: { ...config.api.quota, monthly: DEMO_QUOTA, reserve: 0, onExhausted: "degrade" },
    },
    state: { path: statePath, retentionMs: config.state.retentionMs, mustExist: false },
    server,
    ops: { sinks: config.ops.sinks },
    watches: config.watches.map(({ enrich: _enrich, ...watch }) => ({
      ...watch,
      timing: {
        kind: "schedule",
        schedule: { kind: "every", intervalMs: DEMO_INTERVALS_MS[watch.priority] },
      },
      firstRun: { kind: "baseline" },
    })),
    ...(route === undefined ? {} : { route: promptRoute(route) }),
    sinks: config.sinks.map(consoleInstead),
    warnings: [],
  };
}

/**
 * Returns the configuration for the simulated days before a demo with `--stay`. It has the
 * schedules and digests of the written configuration, and everything else from the demo's.
 */
export const pastConfig = (written: Config, demo: Config): Config => ({
  ...demo,
  watches: written.watches.map(({ enrich: _enrich, ...watch }) => ({
    ...watch,
    firstRun: { kind: "baseline" },
  })),
  ...(written.route === undefined ? {} : { route: written.route }),
  server: { host: "127.0.0.1", port: 0 },
});

/**
 * Returns the text of a configuration with the demo's state path in it, so that other commands find
 * the demo's daemon.
 */
export function withStatePath(text: string, path: string): string {
  const state = `state: { path: ${JSON.stringify(path)} }\n`;
  const section = /^state:.*\n(?:[ \t]+.*\n)*/m;
  return section.test(text) ? text.replace(section, () => state) : `${text.trimEnd()}\n${state}`;
}

const consoleInstead = ({
  type: _type,
  declaredAt: _at,
  throttle: _throttle,
  mutes: _mutes,
  actives: _actives,
  onMute: _onMute,
  ...sink
}: SinkConfig): SinkConfig => ({
  ...sink,
  ...soonDigest(sink.digest),
  type: "console",
  settings: threadsIn(sink.settings),
});

/** Keeps the thread settings, because the console shows threads indented. */
function threadsIn(settings: unknown): object {
  const { thread_by, thread_window } = (settings ?? {}) as Readonly<Record<string, unknown>>;
  return {
    ...(thread_by === undefined ? {} : { thread_by }),
    ...(thread_window === undefined ? {} : { thread_window }),
  };
}

/**
 * Returns the same route tree without long waits, because a demo that waits for the morning shows
 * nothing.
 */
function promptRoute({ throttle: _throttle, ...route }: Route): Route {
  return {
    ...route,
    ...soonDigest(route.digest),
    groupWaitMs: Math.min(route.groupWaitMs, DEMO_GROUP_MS),
    groupIntervalMs: Math.min(route.groupIntervalMs, DEMO_GROUP_MS),
    mutes: [],
    actives: [],
    routes: route.routes.map(promptRoute),
  };
}

const soonDigest = (digest: Shaping["digest"]): Pick<Shaping, "digest"> =>
  digest === undefined || digest === false
    ? {}
    : {
        digest: {
          ...digest,
          nextAtMs: (epochMs) => (Math.floor(epochMs / DEMO_DIGEST_MS) + 1) * DEMO_DIGEST_MS,
        },
      };

/**
 * Returns where the demo serves its page: on any free port of this machine, unless the environment
 * names an address, because only that address can be reached from outside a container. If a token
 * file is to be created, `newToken` is used instead, so that the demo leaves nothing behind.
 */
export function demoServer(
  { newTokenFile, ...written }: ServerConfig,
  env: Environment,
  newToken: () => string,
): ServerConfig {
  if (!namesListen(env)) return { host: "127.0.0.1", port: 0 };
  return newTokenFile === undefined ? written : { ...written, token: newToken() };
}
