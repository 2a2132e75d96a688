/** What follows alerts on values that crossed a threshold, before it is committed. */
import type { ChirpEvent } from "./event.ts";
import type { LevelStep } from "./level.ts";
import type { NewDelivery, TargetChange } from "./poll-store.ts";

/** Alerts that follow open ones, and what becomes of these. */
export interface LevelFollowUps {
  readonly events: readonly ChirpEvent[];
  readonly deliveries: readonly NewDelivery[];
  readonly levels: readonly LevelStep[];
}

/**
 * What follows from what a poll learned of targets, to be committed with it: a value that is back
 * ends its alert then.
 */
export type FollowLevels = (changes: readonly TargetChange[]) => Promise<LevelFollowUps>;
