/**
 * The composition root: creates all parts of a daemon in a fixed order. Each part has its own named
 * teardown. At a stop, and if the start fails, the teardowns run in reverse order. Parts have one
 * of three lifetimes. The state stays open as long as the process runs. The work on it ends and starts again
 * when this replica gives up a part of its share. A reload replaces the parts of `delivering`.
 */
import type { Config } from "../config/config.ts";
import { startControl } from "../server/control-socket.ts";
import { startServer } from "../server/server.ts";
import type { ReloadOutcome } from "../server/contract/actions.ts";
import { openState } from "../state/open-state.ts";
import type { Adapters, DaemonDeps } from "./daemon/daemon-deps.ts";
import { handleClockSetWhileStopped } from "./clock-monitor.ts";
import { claimOrigin } from "./daemon/origin.ts";
import { openOrStandBy } from "./daemon/stand-by.ts";
import { Revisions } from "./fleet/revisions.ts";
import { type ReplicaParts, startReplica } from "./replica.ts";
import { WHOLE } from "../model/replicas.ts";
import { createTeardown, type Teardown } from "./daemon/teardown.ts";
import { createServing, STARTS } from "./daemon/serving.ts";
import { createStoreTroubleLog } from "./daemon/store-trouble-log.ts";
import { startWork } from "./work.ts";

export interface Daemon {
  /** The URL of the status page and API. */
  readonly url: string;
  /** Reloads the configuration. `askedBy` is for the log. */
  reload(askedBy: string): Promise<ReloadOutcome>;
  /** Stops in reverse order of the start. Deliveries under way may finish. */
  stop(): Promise<void>;
}

const SHIPPED: Adapters = { openStore: openState, startControl, startServer };

/**
 * Starts a daemon.
 * @throws ExitError, after everything that was already started was stopped
 */
export async function startDaemon(config: Config, given: DaemonDeps): Promise<Daemon> {
  const deps = { ...given, log: createStoreTroubleLog(given.log, given.clock) };
  const teardown = createTeardown(deps.log);
  try {
    const { url, reload } = await build(config, deps, teardown);
    return { url, reload, stop: () => teardown.drain() };
  } catch (error) {
    await teardown.drain();
    throw error;
  }
}

async function build(
  atStart: Config,
  deps: DaemonDeps,
  teardown: Teardown,
): Promise<Omit<Daemon, "stop">> {
  const { clock, log, hash } = deps;
  const adapters = deps.adapters ?? SHIPPED;
  const serving = createServing(atStart, { adapters, clock }, teardown);
  const { feed, store, config } = await openOrStandBy(atStart, { adapters, serving }, deps);
  teardown.push("state", () => store.close());
  await claimOrigin(store, config);
  const { membership, signals } = store;
  const own = membership === undefined ? deps : { ...deps, clock: membership.clock };
  const revisions = await Revisions.open({
    store,
    signals,
    membership,
    clock: own.clock,
    hash,
    log,
  });
  await serving.open(() => STARTS);
  const { url } = serving;
  const parts = { feed, store, deps: own, startedAtMs: own.clock.now(), revisions, serving };
  if (membership === undefined) {
    await handleClockSetWhileStopped({ clock, log, store });
    await revisions.propose(config, "start");
    const work = await startWork(config, { ...parts, share: WHOLE });
    teardown.push("work", () => work.stop());
    return { url, reload: work.reload };
  }
  const start: ReplicaParts["start"] = (of, share) => startWork(of, { ...parts, share });
  const { reload } = await startReplica(
    config,
    { store, membership, clock, log, revisions, signals, start },
    teardown,
  );
  return { url, reload };
}
