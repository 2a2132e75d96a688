/**
 * The port for the session that a daemon keeps open on the Postgres server whose state it shares.
 * `postgres-replicas.ts` implements it.
 */

export interface ActiveDaemon {
  /** The name of the daemon's sessions. */
  readonly name: string;
  /** The address of its host, as the server sees it. */
  readonly host: string;
  /** How long ago the session that holds the lock last made a query, by the server's clock. */
  readonly silentMs: number;
}

/** A daemon that has a row in `replicas`. */
export interface KnownReplica {
  readonly id: string;
  /**
   * How long ago the last of its sessions made a query, by the server's clock; null if it has no
   * session.
   */
  readonly silentMs: number | null;
}

/**
 * The session of a replica. Every method throws if the session has ended. Methods that change rows
 * wait until other transactions have finished writing.
 */
export interface ReplicaSession {
  /**
   * Returns the names of the migrations that the state has been through; an empty list if it has no
   * tables yet.
   */
  appliedMigrations(): Promise<readonly string[]>;
  /**
   * Tries to take the lock of the leader, which the server frees when the session ends. Resolves to
   * false if another session has the lock.
   */
  tryLock(): Promise<boolean>;
  /** Frees the leader's lock, so that another replica can lead. */
  resign(id: string): Promise<void>;
  /** Returns the daemon whose session has the leader's lock. */
  findActive(): Promise<ActiveDaemon | undefined>;
  /** Ends all other sessions of that name. Their open transactions are rolled back. */
  endSessions(name: string): Promise<void>;
  knownReplicas(): Promise<readonly KnownReplica[]>;
  isPresent(id: string): Promise<boolean>;
  /** Gives the replica a row if it has none. */
  enter(id: string, nowMs: number): Promise<void>;
  lead(id: string): Promise<void>;
  /**
   * Removes replicas once their transactions have ended. They write nothing more afterwards, and
   * their work belongs to no replica.
   */
  remove(ids: readonly string[]): Promise<void>;
  /** Returns the server's time in epoch ms. */
  readClock(): Promise<number>;
  /**
   * Prepares the session that the daemon keeps open, and listens on it. `heard` is called with the
   * topic of each signal and the id of its sender. A newer build may send topics that this one does
   * not know.
   */
  listen(heard: (topic: string, from: string) => void): Promise<void>;
  onEnd(ended: () => void): void;
  end(): Promise<void>;
}
