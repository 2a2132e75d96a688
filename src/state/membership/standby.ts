/**
 * Lets a daemon wait that cannot join the replicas of a state yet: until the schema is that of its
 * build or it can lead. Meanwhile it ends the sessions of a leader that is silent.
 */
import { type Clock, sleep } from "../../model/clock.ts";
import { ExitError } from "../../model/exit-code.ts";
import type { Log } from "../../model/log.ts";
import { DAEMON } from "./postgres-replicas.ts";
import type { ActiveDaemon, ReplicaSession } from "./replica-session.ts";

export const WATCH_MS = 100;
/**
 * A leader that has made no query for this long is frozen or cut off, and its sessions are ended.
 */
export const LEASE_MS = 15_000;

/**
 * What a daemon waits for: the first schema of a new state, or the end of the replicas that work
 * with an older schema.
 */
export type WaitsFor = "first schema" | "older version";

/**
 * The settings of a daemon that shares the state with others. Without them, a daemon is refused
 * while another one runs.
 */
export interface Standby {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /**
   * Called when the daemon begins to wait, and again when another daemon leads or `waitsFor`
   * changes.
   */
  readonly onWait: (active: ActiveDaemon, waitsFor: WaitsFor) => void;
  /** Called when this daemon was declared dead and must end. */
  readonly onReplaced: (error: ExitError) => void;
}

export interface StandbyDeps {
  /** Opens a session of this name. @throws what `pg` throws */
  readonly connect: (name: string) => Promise<ReplicaSession>;
  readonly clock: Clock;
  readonly log: Log;
  readonly id: string;
  /**
   * Returns which of this build's migrations are missing. @throws ExitError if a newer build has
   * migrated the state
   */
  readonly pendingOf: (applied: readonly string[]) => readonly string[];
}

/** Returns `current` if the state has this build's schema, otherwise what must be waited for. */
export async function schemaOf(
  session: ReplicaSession,
  { pendingOf }: Pick<StandbyDeps, "pendingOf">,
): Promise<WaitsFor | "current"> {
  const applied = await session.appliedMigrations();
  if (pendingOf(applied).length === 0) return "current";
  return applied.length === 0 ? "first schema" : "older version";
}

/**
 * Returns the leader, if there is one. If it has been silent for longer than its lease, ends its
 * sessions, which frees the lock.
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
 * Waits until this daemon can lead, or another one has migrated the schema. Resolves to undefined
 * if the wait was ended. @throws ExitError, as `pendingOf` does
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
