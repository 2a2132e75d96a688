/** A daemon that cannot join those that share a state yet: it waits until it can lead, and ends the sessions of a leader that is silent. */
import { type Clock, sleep } from "../../model/clock.ts";
import type { ExitError } from "../../model/exit-code.ts";
import type { Log } from "../../model/log.ts";
import { DAEMON } from "./postgres-replicas.ts";
import type { ActiveDaemon, ReplicaSession } from "./replica-session.ts";

export const WATCH_MS = 100;
/** One that has not asked for so long is frozen, or cut off: its sessions are ended. */
export const LEASE_MS = 15_000;

/** For a daemon that shares the state with others; without it, it is refused while another one runs. */
export interface Standby {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** It cannot join, as the state has an older schema: called when it begins to wait, and when another daemon leads. */
  readonly onWait: (active: ActiveDaemon) => void;
  /** This daemon was declared dead, and must end. */
  readonly onReplaced: (error: ExitError) => void;
}

export interface StandbyDeps {
  /** A session of this name. @throws as `pg` does */
  readonly connect: (name: string) => Promise<ReplicaSession>;
  readonly clock: Clock;
  readonly log: Log;
  readonly id: string;
}

/** The one that leads, if any. One that is silent for longer than its lease loses its sessions, and with them the lock. */
export async function endSilentLeader(session: ReplicaSession, { log }: Pick<StandbyDeps, "log">): Promise<ActiveDaemon | undefined> {
  const active = await session.findActive();
  if (active === undefined || active.silentMs <= LEASE_MS) return active;
  log.warn("the active chirpwatch is silent: its sessions are ended", { host: active.host, silentMs: active.silentMs });
  await session.endSessions(active.name);
  return active;
}

/** The session that has the lock; undefined when the wait was ended. */
export async function waitForLock(deps: StandbyDeps, standby: Standby): Promise<ReplicaSession | undefined> {
  const { clock, log, id } = deps;
  let [session, known]: [ReplicaSession | undefined, string | undefined] = [undefined, undefined];
  while (!standby.signal.aborted) {
    try {
      session ??= await deps.connect(DAEMON + id);
      if (await session.tryLock()) return session;
      const active = await endSilentLeader(session, deps);
      if (active !== undefined && active.name !== known) standby.onWait(active);
      known = active?.name ?? known;
    } catch (error) {
      log.debug("standby could not ask postgres", { error });
      void session?.end().catch(() => undefined);
      session = undefined;
    }
    await sleep(clock, WATCH_MS, standby.signal);
  }
  await session?.end().catch(() => undefined);
  return undefined;
}
