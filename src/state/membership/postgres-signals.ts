/**
 * Sends signals between processes on one Postgres state: NOTIFY on any connection, LISTEN on the
 * session that a daemon holds while it runs.
 */
import type { Cancel } from "../../model/clock.ts";
import { SIGNAL_TOPICS, type SignalTopic } from "../../model/signals.ts";
import type { ReplicaSession } from "./replica-session.ts";

/** The schema is part of the channel's name, because several states can share a database. */
const CHANNEL = "'chirpwatch_' || hashtext(current_schema())";
export const LISTEN = `do $$ begin execute format('listen %I', ${CHANNEL}); end $$`;

/**
 * Returns the query that sends a signal. `from` is the id of the replica that sends it, which
 * consists of letters, digits, - and _, or "" for a command.
 */
export const notifyText = (topic: SignalTopic, from: string): string =>
  `select pg_notify(${CHANNEL}, '${topic} ${from}')`;

export class PostgresSignals {
  readonly #id: string;
  readonly #listeners = new Set<(topic: SignalTopic) => void>();
  readonly #known = new WeakSet<ReplicaSession>();
  #hadSession = false;

  /** `id`: the id of the daemon, which ignores its own signals. */
  constructor(id: string) {
    this.#id = id;
  }

  readonly on = (listener: (topic: SignalTopic) => void): Cancel => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /**
   * Listens on a session. If it is not the first one, every topic is signalled, because signals may
   * have been missed in between. A failure is not handled here, because the next query on the
   * session fails, too.
   */
  async listen(session: ReplicaSession): Promise<void> {
    if (this.#known.has(session)) return;
    this.#known.add(session);
    await session.listen((sent, from) => {
      for (const topic of SIGNAL_TOPICS) if (topic === sent && from !== this.#id) this.#emit(topic);
    });
    if (this.#hadSession) for (const topic of SIGNAL_TOPICS) this.#emit(topic);
    this.#hadSession = true;
  }

  #emit(topic: SignalTopic): void {
    for (const listener of this.#listeners) listener(topic);
  }
}
