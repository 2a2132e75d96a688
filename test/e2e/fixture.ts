/**
 * The fixture of most tests here: a service, a webhook receiver and a folder, removed when the file
 * is done.
 */
import { afterAll, aroundEach } from "vitest";
import { type ApiStandIn, startApiStandIn } from "../support/api-stand-in.ts";
import { cleanUp, makeFolder } from "../support/bin-process.ts";
import { endingChildren, forgetTests } from "../support/child-process.ts";
import {
  baseConfig,
  type DaemonProcess,
  type RunningDaemon,
  startDaemonHere,
  startDaemonProcess,
  writeConfig,
} from "../support/daemon-process.ts";
import { HOOK_SECRET, type HookReceiver, startHookReceiver } from "../support/hook-receiver.ts";
import { until } from "../support/until.ts";

export interface Fixture {
  readonly api: ApiStandIn;
  readonly hook: HookReceiver;
  readonly folder: string;
  /** A configuration with the hook as its only sink, and whatever else is given. */
  configure(more: object): void;
  /** Starts the daemon in this process. */
  start(env?: Record<string, string>): Promise<RunningDaemon>;
  startProcess(env?: Record<string, string>): Promise<DaemonProcess>;
}

const open = new Set<{ close(): Promise<void> }>();

/** Closes something when the test file is done. */
export function keep<T extends { close(): Promise<void> }>(one: T): T {
  open.add(one);
  return one;
}

/**
 * Call this once in every file that starts something. Whatever a test starts ends with the test.
 */
export function cleanUpAfterwards(): void {
  aroundEach(endingChildren);
  afterAll(async () => {
    forgetTests();
    await cleanUp();
    await Promise.all([...open].map((one) => one.close()));
  });
}

/** Creates a fixture. Its folder is in memory, or in `within`. */
export async function createFixture(within?: string): Promise<Fixture> {
  const api = keep(await startApiStandIn());
  const hook = keep(await startHookReceiver());
  const folder = makeFolder({}, within);
  return {
    api,
    hook,
    folder,
    configure: (more) =>
      writeConfig(folder, {
        ...baseConfig(api.url, api.key),
        defaults: { watch: { schedule: "@every 1s" } },
        sinks: { hook: hookSink(hook) },
        ...more,
      }),
    start: (env = {}) => startDaemonHere({ folder, env }),
    startProcess: (env = {}) => startDaemonProcess({ folder, env }),
  };
}

export const hookSink = (hook: HookReceiver) => ({
  type: "webhook",
  url: hook.url,
  secret: HOOK_SECRET,
  allow_private: true,
});

/** Waits for a watch's first line. */
export const noted = (daemon: RunningDaemon, watch: string) =>
  daemon.logged(new RegExp(`^${watch}: \\d+ items noted`));

/** Waits until an endpoint has received this many more requests. */
export async function morePolls(api: ApiStandIn, endpoint: string, count = 2): Promise<void> {
  const before = api.count(endpoint);
  await until(`${count} more polls of ${endpoint}`, () => api.count(endpoint) >= before + count);
}

/**
 * Waits until the results of all sends are recorded. The receiver has a message a moment before the
 * daemon knows that it arrived.
 */
export async function allSent(daemon: RunningDaemon): Promise<void> {
  let seen = "";
  await until(
    "every result",
    async () => {
      const { sinks } = await daemon.status();
      seen = JSON.stringify(sinks);
      return sinks.every(({ waiting, dead }) => waiting === 0 && dead === 0);
    },
    () => `${seen}\n${daemon.err()}`,
  );
}

export const sorted = (ids: readonly string[]): readonly string[] => [...ids].sort();
