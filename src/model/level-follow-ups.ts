/** Follow-ups to alerts on values that crossed a threshold, before they are committed. */
import type { ChirpEvent } from "./event.ts";
import type { LevelStep } from "./level.ts";
import type { NewDelivery, TargetChange } from "./poll-store.ts";

/** Alerts that follow open ones, and the changes of the open ones. */
export interface LevelFollowUps {
  readonly events: readonly ChirpEvent[];
  readonly deliveries: readonly NewDelivery[];
  readonly levels: readonly LevelStep[];
}

/**
 * Returns the alerts that follow from what a poll learned of targets. They are committed with the
 * poll. A value that is back to normal ends its alert.
 */
export type FollowLevels = (changes: readonly TargetChange[]) => Promise<LevelFollowUps>;
