/**
 * What processes that share a state say to each other, as a port. The state holds what a signal is
 * about: a signal says only that it changed.
 */
import type { Cancel } from "./clock.ts";

/**
 * `share`: pauses, silences, claims or waiting alerts are others than before. `reload`: read the
 * configuration's file again. `configuration`: another revision of the configuration is the current
 * one.
 */
export const SIGNAL_TOPICS = ["share", "reload", "configuration"] as const;
export type SignalTopic = (typeof SIGNAL_TOPICS)[number];

export interface Signals {
  /** Reaches every other daemon on the state. Call it once the change is committed. */
  send(topic: SignalTopic): Promise<void>;
  /**
   * Called for each topic once after the connection was lost, because a signal may have been
   * missed. Listeners do not throw.
   */
  on(listener: (topic: SignalTopic) => void): Cancel;
}

/** Of a state that only one process works on at a time. */
export const NO_SIGNALS: Signals = { send: async () => undefined, on: () => () => undefined };
