/** Alerts on values that crossed a threshold, and stay open until the value falls back: what a sink wants to hear of them meanwhile, as a port. */
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

export interface OpenLevel {
  readonly event: ChirpEvent;
  readonly sink: string;
  /** The alert went out, or waits: no mute, silence or other alert took its place. */
  readonly isSent: boolean;
  /** Its watch is polled. */
  readonly isPolled: boolean;
  /** How often it was repeated. */
  readonly repeats: number;
  /** Null: it is not repeated. */
  readonly nextAtMs: number | null;
  /** As they were when they were first checked; null until then. */
  readonly rules: LevelRules | null;
  /** What the detector remembers of the target; null once there is no such target any more. */
  readonly memory: JsonObject | null;
}

export type LevelChange =
  | { readonly kind: "close" }
  | { readonly kind: "seen"; readonly rules: LevelRules }
  | { readonly kind: "repeated"; readonly repeats: number; readonly nextAtMs: number | null };

export interface DueRepeats {
  readonly sink: string;
  readonly count: number;
  readonly nextAtMs: number;
}

export interface LevelStore {
  /** Oldest first. */
  openLevels(): Promise<readonly OpenLevel[]>;
  /** Of each sink: alerts that are to be repeated, and when the first of them is due. */
  dueRepeats(): Promise<readonly DueRepeats[]>;
  changeLevel(level: Pick<OpenLevel, "event" | "sink">, change: LevelChange): Promise<void>;
}
