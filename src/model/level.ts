/**
 * The storage port for alerts about values that crossed a threshold. Such an alert stays open until
 * its value is back to normal, and sinks may send further messages until then.
 */
import type { ChirpEvent } from "./event.ts";
import type { JsonObject } from "./json.ts";

/** The further messages that a sink sends after the alert. */
export interface LevelOptions {
  /** The interval at which the alert is repeated while the value stays beyond its threshold. */
  readonly repeatMs?: number;
  /** Whether one more alert is sent when the value is back to normal. */
  readonly sendResolved?: boolean;
}

/** The thresholds as configured, by the names of their numbers. */
export type LevelRules = Readonly<Record<string, string>>;

export interface LastRepeat {
  readonly eventId: string;
  /**
   * The state of the repeat.
   * - `waiting`: it is not part of a message yet.
   * - `sealed`: it is in a message with other alerts that is being sent, so nothing may replace it.
   * - `done`: its sink accepted it, or it was dropped.
   */
  readonly state: "waiting" | "sealed" | "done";
}

export interface OpenLevel {
  /** The first alert, with the current name of its watch. */
  readonly event: ChirpEvent;
  readonly sink: string;
  /**
   * Whether the alert was or will be sent. False if a mute, a silence or another alert prevented
   * it.
   */
  readonly isSent: boolean;
  /** Whether the alert was neither accepted by its sink nor given up yet. */
  readonly isWaiting: boolean;
  /** When the sink accepted the alert or it was given up, in epoch ms; null before. */
  readonly doneAtMs: number | null;
  /** Whether its watch is polled. */
  readonly isPolled: boolean;
  /** The number of repeats so far. */
  readonly repeats: number;
  /** The last alert that repeated it; absent if there was none. */
  readonly lastRepeat?: LastRepeat;
  /** When the alert was created or last repeated, in epoch ms. */
  readonly lastAtMs: number;
  /** When the alert is repeated next, in epoch ms; null if it is not repeated. */
  readonly nextAtMs: number | null;
  /**
   * The thresholds that the alert is about, as configured when it was created. Null if it was
   * created by a release that did not store them.
   */
  readonly rules: LevelRules | null;
  /** The key of its target; null if there is no such target any more. */
  readonly targetKey: string | null;
  /** The detector's memory of the target; null if there is no such target any more. */
  readonly memory: JsonObject | null;
}

type LevelChange =
  | { readonly kind: "close" }
  | {
      readonly kind: "repeated";
      readonly repeats: number;
      readonly atMs: number;
      readonly nextAtMs: number | null;
    };

/**
 * The change of an open alert in a commit. The commit is a conflict if the alert is not open any
 * more.
 */
export interface LevelStep {
  readonly eventId: string;
  readonly sink: string;
  readonly change: LevelChange;
  /**
   * The id of the new alert that causes the change. An earlier repeat that still waits is then not
   * sent.
   */
  readonly byEventId: string;
}

export interface DueRepeats {
  readonly sink: string;
  readonly count: number;
  readonly nextAtMs: number;
}

export interface LevelStore {
  /** Returns the open alerts, oldest first; only those of these watches if keys are given. */
  openLevels(watchKeys?: readonly string[]): Promise<readonly OpenLevel[]>;
  /**
   * Returns for each sink the number of alerts to be repeated and when the first of them is due.
   */
  dueRepeats(): Promise<readonly DueRepeats[]>;
  /** Ends an open alert without a message. */
  closeLevel(level: Pick<OpenLevel, "event" | "sink">): Promise<void>;
}
