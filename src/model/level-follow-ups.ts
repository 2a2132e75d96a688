/**
 * The follow-ups of open alerts about values that crossed a threshold, before they are committed.
 */
import type { ChirpEvent } from "./event.ts";
import type { LevelStep } from "./level.ts";
import type { NewDelivery, TargetChange } from "./poll-store.ts";

/**
 * The follow-ups of open alerts, and the changes of the open alerts that are committed with them.
 */
export interface LevelFollowUps {
  readonly events: readonly ChirpEvent[];
  readonly deliveries: readonly NewDelivery[];
  readonly levels: readonly LevelStep[];
}

/**
 * Returns the follow-ups that a poll's changes of targets require. They are committed with the
 * poll. If a value is back to normal, its open alert ends.
 */
export type FollowLevels = (changes: readonly TargetChange[]) => Promise<LevelFollowUps>;
