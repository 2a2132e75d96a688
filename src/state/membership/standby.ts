/**
 * A daemon that cannot join those that share a state yet: it waits until the schema is its own or
 * it can lead, and ends the sessions of a leader that is silent.
 */
import { type Clock, sleep } from "../../model/clock.ts";
import { ExitError } from "../../model/exit-code.ts";
import type { Log } from "../../model/log.ts";
import { DAEMON } from "./postgres-replicas.ts";
import type { ActiveDaemon, ReplicaSession } from "./replica-session.ts";

export const WATCH_MS = 100;
/** One that has not asked for so long is frozen, or cut off: its sessions are ended. */
export const LEASE_MS = 15_000;

/**
 * What a daemon waits for: the first schema of a new state, or the end of the replicas that work
 * with an older schema.
 */
export type WaitsFor = "first schema" | "older version";

/**
 * For a daemon that shares the state with others; without it, it is refused while another one runs.
 */
export interface Standby {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /**
   * It cannot join yet. Called when it begins to wait, and when another daemon leads or it waits
   * for something else.
   */
  readonly onWait: (active: ActiveDaemon, waitsFor: WaitsFor) => void;
  /** This daemon was declared dead, and must end. */
  readonly onReplaced: (error: ExitError) => void;
}

export interface StandbyDeps {
  /** A session of this name. @throws as `pg` does */
  readonly connect: (name: string) => Promise<ReplicaSession>;
  readonly clock: Clock;
  readonly log: Log;
  readonly id: string;
  /**
   * The migrations that are missing of this build's. @throws ExitError where a newer build has
   * migrated the state.
   */
  readonly pendingOf: (applied: readonly string[]) => readonly string[];
}

/** Whether the state has this build's schema, and if not what it has. */
export async function schemaOf(
  session: ReplicaSession,
  { pendingOf }: Pick<StandbyDeps, "pendingOf">,
): Promise<WaitsFor | "current"> {
  const applied = await session.appliedMigrations();
  if (pendingOf(applied).length === 0) return "current";
  return applied.length === 0 ? "first schema" : "older version";
}

/**
 * The one that leads, if any. One that is silent for longer than its lease loses its sessions, and
 * with them the lock.
 */
export async function endSilentLeader(
  session: ReplicaSession,
  { log }: Pick<StandbyDeps, "log">,
): Promise<ActiveDaemon | undefined> {
  const active = await session.findActive();
  if (active === undefined || active.silentMs <= LEASE_MS) return active;
  log.warn("the active chirpwatch is silent: its sessions are ended", {
    host: active.host,
    silentMs: active.silentMs,
  });
  await session.endSessions(active.name);
  return active;
}

export interface Admitted {
  readonly session: ReplicaSession;
  readonly isLeading: boolean;
}

/**
 * Waits until it can lead, or another one has brought the schema up. Undefined when the wait was
 * ended. @throws ExitError as `pendingOf` does
 */
export async function waitToJoin(
  deps: StandbyDeps,
  standby: Standby,
): Promise<Admitted | undefined> {
  const { clock, log, id } = deps;
  let [session, known]: [ReplicaSession | undefined, string | undefined] = [undefined, undefined];
  while (!standby.signal.aborted) {
    try {
      session ??= await deps.connect(DAEMON + id);
      if (await session.tryLock()) return { session, isLeading: true };
      const schema = await schemaOf(session, deps);
      if (schema === "current") return { session, isLeading: false };
      const active = await endSilentLeader(session, deps);
      const seen: string | undefined = active === undefined ? known : `${schema} ${active.name}`;
      if (active !== undefined && seen !== known) standby.onWait(active, schema);
      known = seen;
    } catch (error) {
      void session?.end().catch(() => undefined);
      if (error instanceof ExitError) throw error;
      log.debug("standby could not ask postgres", { error });
      session = undefined;
    }
    await sleep(clock, WATCH_MS, standby.signal);
  }
  await session?.end().catch(() => undefined);
  return undefined;
}
