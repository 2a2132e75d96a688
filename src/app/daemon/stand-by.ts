/**
 * Opens the state. If another daemon leads and the state does not have this version's schema yet,
 * this daemon stands by until it does, or until this daemon can lead. It then loads the
 * configuration again, because it may have changed during the wait.
 */
import type { Config } from "../../config/config.ts";
import { formatIssue } from "../../config/report.ts";
import { type Clock, sleep } from "../../model/clock.ts";
import type { StateAddress } from "../../model/postgres-address.ts";
import { isControlAnswered } from "../../server/control-socket.ts";
import { isStateLocked } from "../../state/files/lock.ts";
import type { WaitsFor } from "../../state/membership/standby.ts";
import type { OpenedStore } from "../../state/open.ts";
import {
  type ActivityFeed,
  createActivityFeed,
  publishingStore,
} from "../../operate/views/activity.ts";
import type { Adapters, DaemonDeps } from "./daemon-deps.ts";
import { type Serving, STARTS } from "./serving.ts";
import type { Idle } from "../../server/standby-routes.ts";

interface Opened {
  readonly feed: ActivityFeed;
  readonly store: OpenedStore;
  readonly config: Config;
}

interface StandByParts {
  readonly adapters: Adapters;
  readonly serving: Pick<Serving, "open">;
}

const MAX_LOCK_WAIT_MS = 5_000;
const LOCK_RETRY_MS = 50;

/** The reasons that are shown. `host` is the host of the daemon that leads. */
const REASONS: Readonly<Record<WaitsFor, (host: string) => string>> = {
  "first schema": (host) => `it stands by while ${host} creates the state`,
  "older version": (host) =>
    `it stands by until ${host} ends, whose version is older, and is ready to take over`,
};

export async function openOrStandBy(
  initial: Config,
  { adapters, serving }: StandByParts,
  deps: DaemonDeps,
): Promise<Opened> {
  const { clock, random, log } = deps;
  let [idle, served]: [Idle | undefined, Promise<void>] = [undefined, Promise.resolve()];
  // Another daemon on the same machine may use the same addresses while it is active.
  const serve = () =>
    serving
      .open(() => idle ?? STARTS)
      .catch((error: unknown) =>
        log.debug("a standby could not open all of its listeners", { error }),
      );
  const standby = {
    signal: deps.stopping ?? new AbortController().signal,
    onWait({ host }: { readonly host: string }, waitsFor: WaitsFor) {
      log.info("standing by: the state does not have this version's schema yet", {
        host,
        waits_for: waitsFor,
      });
      const isFirst = idle === undefined;
      idle = { reason: REASONS[waitsFor](host), isReady: waitsFor === "older version" };
      if (isFirst) served = serve();
    },
    onReplaced: deps.onRefused ?? (() => undefined),
  };
  try {
    const feed = createActivityFeed();
    const open = () => adapters.openStore({ ...initial.state, clock, random, log, standby });
    const store = publishingStore(
      await openOnceFree(open, { clock, state: initial.state, signal: standby.signal }),
      feed,
    );
    if (idle === undefined) return { feed, store, config: initial };
    log.info("no longer standing by: the state has this version's schema");
    return { feed, store, config: await loadAgain(initial, deps) };
  } finally {
    await served;
  }
}

interface LockWait {
  readonly clock: Clock;
  readonly state: StateAddress;
  readonly signal: AbortSignal;
}

/**
 * Opens the state. If a command holds the lock of its file, waits until the command has released
 * it, which takes moments. If a daemon holds the lock, which is recognised by its control socket,
 * waiting would be useless.
 */
async function openOnceFree(
  open: () => Promise<OpenedStore>,
  { clock, state, signal }: LockWait,
): Promise<OpenedStore> {
  const untilMs = clock.monotonic() + MAX_LOCK_WAIT_MS;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const isLate = signal.aborted || clock.monotonic() >= untilMs;
      if (
        isLate ||
        state.postgres !== undefined ||
        !isStateLocked(error) ||
        (await isControlAnswered(state.path))
      )
        throw error;
      await sleep(clock, LOCK_RETRY_MS, signal);
    }
  }
}

async function loadAgain(initial: Config, { load, log }: DaemonDeps): Promise<Config> {
  const loaded = await load();
  if (loaded.ok) return { ...loaded.config, server: initial.server };
  const errors = loaded.issues.filter(({ severity }) => severity === "error").map(formatIssue);
  log.error(
    "the configuration that was changed while standing by is refused: the one of the start is used",
    { errors },
  );
  return initial;
}
