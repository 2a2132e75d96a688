/**
 * Runs one of several daemons that share a state. Its work starts with the share that it holds, and
 * starts again with a smaller share when other replicas take over a part.
 */
import type { Config } from "../config/config.ts";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { ChangedWatches, Membership, ReplicaStore, Share } from "../model/replicas.ts";
import type { Signals } from "../model/signals.ts";
import type { Teardown } from "./daemon/teardown.ts";
import type { RunningWork } from "./work.ts";
import { Fleet } from "./fleet/fleet.ts";
import { type LoopTurns, supervise } from "./fleet/supervise.ts";
import type { Revisions } from "./fleet/revisions.ts";

/**
 * The longest time that one check of the share may take. A check may start all work again, which
 * includes planning thousands of watches.
 */
const MAX_RESTART_MS = 300_000;

export interface ReplicaParts {
  readonly store: ReplicaStore;
  readonly membership: Membership;
  readonly clock: Clock;
  readonly log: Log;
  readonly revisions: Revisions;
  readonly signals: Signals;
  readonly start: (config: Config, share: Share) => Promise<RunningWork>;
}

export async function startReplica(
  initial: Config,
  { start, revisions, signals, ...parts }: ReplicaParts,
  teardown: Teardown,
): Promise<Pick<RunningWork, "reload">> {
  let config = () => initial;
  const { membership, log } = parts;
  // In a rolling update the new configuration becomes current only when this replica is ready to
  // work with it.
  if (membership.isLeading()) await revisions.propose(initial, "start");
  else membership.setMayLead(false);
  const fleet = new Fleet({ ...parts, plansBy: () => revisions.publishedOf(config()) });
  await fleet.join();
  log.info("joined the replicas on this state", {
    replica: (await parts.store.replicas()).find(({ id }) => id === membership.id)?.name,
  });
  let work = await start(initial, fleet);
  config = work.config;
  teardown.push("work", () => work.stop());
  await revisions.propose(config(), "start");
  const failed = (error: unknown) =>
    log.error("a signal of another process could not be handled", { error });
  const reload = (askedBy: string) => void work.reload(askedBy).catch(failed);
  let loops = (): ReadonlyMap<string, LoopTurns> => work.loops();
  const restart = async (between: () => Promise<void>) => {
    loops = () => new Map();
    await work.stop();
    await between();
    work = await start(work.config(), fleet);
    config = work.config;
    loops = () => work.loops();
    // A change of the configuration file during the restart would otherwise go unnoticed.
    reload("share that shrank");
  };
  const review = async () => {
    if (await revisions.review(config())) reload("newer configuration");
  };
  const shareChanged = async (isOther: boolean) => {
    await review();
    if (isOther) await work.takeShare();
  };
  const stateChanged = async (watches: ChangedWatches) => {
    await review();
    await work.readAgain(watches);
  };
  const stopWatching = fleet.start({
    restart,
    shareChanged,
    stateChanged,
    delivered: () => work.wakeDelivery(),
  });
  teardown.push("share", stopWatching);
  const share = () => ({ turns: fleet.turns, withinMs: MAX_RESTART_MS });
  teardown.push(
    "supervision",
    supervise({ ...parts, loops: () => new Map([...loops(), ["share", share()]]) }),
  );
  const stopListening = signals.on((topic) => {
    if (topic === "configuration") void review().catch(failed);
    if (topic === "reload") reload("another process");
  });
  teardown.push("signals", stopListening);
  return { reload: (askedBy) => work.reload(askedBy) };
}
