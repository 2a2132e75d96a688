/**
 * Alerts on values that crossed a threshold, and stay open until the value falls back: what a sink
 * wants to hear of them meanwhile, as a port.
 */
import type { ChirpEvent } from "./event.ts";
import type { JsonObject } from "./json.ts";

/** What a sink wants besides the alert. */
export interface LevelOptions {
  /** The alert again after so long, while the value stays across. */
  readonly repeatMs?: number;
  /** One alert when the value is back. */
  readonly sendResolved?: boolean;
}

/** The thresholds as they are written, by the names of their numbers. */
export type LevelRules = Readonly<Record<string, string>>;

export interface LastRepeat {
  readonly eventId: string;
  /**
   * `done`: its sink took it, or it was dropped. `sealed`: it is in a message with others that is
   * on its way: nothing takes its place.
   */
  readonly state: "waiting" | "sealed" | "done";
}

export interface OpenLevel {
  /** The first alert, under the name that its watch has now. */
  readonly event: ChirpEvent;
  readonly sink: string;
  /** The alert went out, or waits: no mute, silence or other alert took its place. */
  readonly isSent: boolean;
  /** The alert was not taken by its sink yet, nor given up. */
  readonly isWaiting: boolean;
  /** When its sink took it, or it was given up; null before. */
  readonly doneAtMs: number | null;
  /** Its watch is polled. */
  readonly isPolled: boolean;
  /** How often it was repeated. */
  readonly repeats: number;
  /** The alert that repeated it last; absent where none did. */
  readonly lastRepeat?: LastRepeat;
  /** When it was made, or repeated last. */
  readonly lastAtMs: number;
  /** Null: it is not repeated. */
  readonly nextAtMs: number | null;
  /**
   * The thresholds that it is about, as they were when it was made; null in states from before that
   * was kept then.
   */
  readonly rules: LevelRules | null;
  /** The key of its target; null once there is no such target any more. */
  readonly targetKey: string | null;
  /** What the detector remembers of the target; null once there is no such target any more. */
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
 * What becomes of an open one in a commit. The commit is a conflict where it is not open any more.
 */
export interface LevelStep {
  readonly eventId: string;
  readonly sink: string;
  readonly change: LevelChange;
  /** The alert that follows. A repeat that still waits is not sent any more then. */
  readonly byEventId: string;
}

export interface DueRepeats {
  readonly sink: string;
  readonly count: number;
  readonly nextAtMs: number;
}

export interface LevelStore {
  /** Oldest first; of these watches only, where keys are given. */
  openLevels(watchKeys?: readonly string[]): Promise<readonly OpenLevel[]>;
  /** Of each sink: alerts that are to be repeated, and when the first of them is due. */
  dueRepeats(): Promise<readonly DueRepeats[]>;
  /** Ends one without a word. */
  closeLevel(level: Pick<OpenLevel, "event" | "sink">): Promise<void>;
}
