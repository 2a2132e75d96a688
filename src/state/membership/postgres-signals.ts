/**
 * Signals between processes on one Postgres state: NOTIFY on any connection, LISTEN on the session
 * that a daemon holds as long as it runs.
 */
import type { Cancel } from "../../model/clock.ts";
import { SIGNAL_TOPICS, type SignalTopic } from "../../model/signals.ts";
import type { ReplicaSession } from "./replica-session.ts";

/** Several states can share a database, each in a schema of its own. */
const CHANNEL = "'chirpwatch_' || hashtext(current_schema())";
export const LISTEN = `do $$ begin execute format('listen %I', ${CHANNEL}); end $$`;

/** `from`: of letters, digits, - and _, as ids are; "" for a command. */
export const notifyText = (topic: SignalTopic, from: string): string =>
  `select pg_notify(${CHANNEL}, '${topic} ${from}')`;

export class PostgresSignals {
  readonly #id: string;
  readonly #listeners = new Set<(topic: SignalTopic) => void>();
  readonly #known = new WeakSet<ReplicaSession>();
  #hadSession = false;

  /** Of the daemon, whose own signals it does not hear. */
  constructor(id: string) {
    this.#id = id;
  }

  readonly on = (listener: (topic: SignalTopic) => void): Cancel => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Where it fails, so does whatever the session is asked next. */
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
