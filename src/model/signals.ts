/**
 * The port for signals between processes that share a state. A signal only says that something has
 * changed; the change itself is in the state.
 */
import type { Cancel } from "./clock.ts";

/**
 * `share`: pauses, silences, claims or waiting alerts have changed. `reload`: read the
 * configuration's file again. `configuration`: another revision of the configuration is the current
 * one.
 */
export const SIGNAL_TOPICS = ["share", "reload", "configuration"] as const;
export type SignalTopic = (typeof SIGNAL_TOPICS)[number];

export interface Signals {
  /** Sends a signal to every other daemon on the state. Call it once the change is committed. */
  send(topic: SignalTopic): Promise<void>;
  /**
   * Calls `listener` for every signal, and for each topic once after the connection was lost,
   * because a signal may have been missed. Listeners do not throw.
   */
  on(listener: (topic: SignalTopic) => void): Cancel;
}

/** The signals of a state that only one process works on at a time. */
export const NO_SIGNALS: Signals = { send: async () => undefined, on: () => () => undefined };
