/**
 * A daemon's own session on the server whose state it shares: what it asks there, and what it
 * changes. How that is said to Postgres: postgres-replicas.ts.
 */

export interface ActiveDaemon {
  /** The name of its sessions. */
  readonly name: string;
  /** Its address, as the server sees it. */
  readonly host: string;
  /** Since the session that holds the lock last asked something, by the server's clock. */
  readonly silentMs: number;
}

/** A daemon that has a row. */
export interface KnownReplica {
  readonly id: string;
  /**
   * Since the last of its sessions asked something, by the server's clock; null where it has none.
   */
  readonly silentMs: number | null;
}

/** Every method throws where the session has ended. Changes wait for whatever writes. */
export interface ReplicaSession {
  /**
   * The names of the migrations that the state has been through. None where it has no tables yet.
   */
  appliedMigrations(): Promise<readonly string[]>;
  /** The server frees the lock with the session. False when another session has it. */
  tryLock(): Promise<boolean>;
  /** Frees the lock for another one. */
  resign(id: string): Promise<void>;
  /** The one whose session has the lock. */
  findActive(): Promise<ActiveDaemon | undefined>;
  /** All of that name but this one; what they were writing is undone. */
  endSessions(name: string): Promise<void>;
  knownReplicas(): Promise<readonly KnownReplica[]>;
  isPresent(id: string): Promise<boolean>;
  /** Gives it a row, where it has none. */
  enter(id: string, nowMs: number): Promise<void>;
  lead(id: string): Promise<void>;
  /**
   * After all that they were writing: from here on they write nothing more. What they did belongs
   * to nobody.
   */
  remove(ids: readonly string[]): Promise<void>;
  /** What the server's clock shows. */
  readClock(): Promise<number>;
  /**
   * From here on it is kept. `heard`: a signal, and who sent it; a newer build may send topics that
   * this one does not know.
   */
  listen(heard: (topic: string, from: string) => void): Promise<void>;
  onEnd(ended: () => void): void;
  end(): Promise<void>;
}
