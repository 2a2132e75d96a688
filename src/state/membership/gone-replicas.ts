/**
 * Finds replicas that are gone: those that are silent although they have a session, and those that
 * have had none for a while. The leader removes them.
 */
import type { Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import { DAEMON } from "./postgres-replicas.ts";
import type { ReplicaSession } from "./replica-session.ts";
import { LEASE_MS } from "./standby.ts";

/**
 * A replica that has had no session for this long is gone. If only its connection had been cut, it
 * would have a new session by then.
 */
const GONE_MS = 300;
/**
 * Replaces `GONE_MS` for this long after this replica opened a new session, because the server may
 * have been unreachable for all replicas, and others may need longer to open theirs.
 */
const GONE_AFTER_RESTART_MS = 10_000;
export interface GoneReplicasDeps {
  /** The id of this replica, which is never removed here. */
  readonly id: string;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Log;
}

export class GoneReplicas {
  readonly #deps: GoneReplicasDeps;
  /** The replicas without a session, and since when each has had none, in monotonic ms. */
  readonly #missing = new Map<string, number>();
  /** When a new session was last opened after a cut, in monotonic ms. */
  #openedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: GoneReplicasDeps) {
    this.#deps = deps;
  }

  /** Call it when this replica has a new session after a cut. */
  sessionOpened(): void {
    this.#openedMs = this.#deps.clock.monotonic();
  }

  /** Returns when the next replica without a session counts as gone, in ms from now. */
  nextInMs(): number {
    return Math.min(...this.#missing.values()) + GONE_MS - this.#deps.clock.monotonic();
  }

  /** Ends the sessions of silent replicas, and removes those that are gone. */
  async remove(session: ReplicaSession): Promise<void> {
    const nowMs = this.#deps.clock.monotonic();
    const goneMs = nowMs - this.#openedMs < GONE_AFTER_RESTART_MS ? GONE_AFTER_RESTART_MS : GONE_MS;
    const others = (await session.knownReplicas()).filter(({ id }) => id !== this.#deps.id);
    const silent = others.filter(({ silentMs }) => (silentMs ?? 0) > LEASE_MS);
    for (const { id, silentMs } of silent) {
      this.#deps.log.warn("a replica is silent: its sessions are ended", { replica: id, silentMs });
      await session.endSessions(DAEMON + id);
    }
    const missing = others.filter(({ silentMs }) => silentMs === null).map(({ id }) => id);
    for (const id of this.#missing.keys()) if (!missing.includes(id)) this.#missing.delete(id);
    for (const id of missing) if (!this.#missing.has(id)) this.#missing.set(id, nowMs);
    const gone = [
      ...silent.map(({ id }) => id),
      ...missing.filter((id) => nowMs - (this.#missing.get(id) ?? nowMs) >= goneMs),
    ];
    if (gone.length > 0) await session.remove(gone);
  }
}
