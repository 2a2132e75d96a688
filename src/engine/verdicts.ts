/** What a poll is about to commit, gathered over its subscribers: verdicts, events, target changes. */
import type { ChirpEvent } from "../model/event.ts";
import type { ItemVerdict, TargetChange } from "../model/store.ts";

export interface Judgement {
  readonly verdicts: readonly ItemVerdict[];
  readonly events: readonly JudgedEvent[];
  readonly targets: readonly TargetChange[];
}

/** An event with the sinks its watch names. */
export interface JudgedEvent {
  readonly event: ChirpEvent;
  readonly ownSinks: readonly string[];
}

export const NOTHING: Judgement = { verdicts: [], events: [], targets: [] };

/** Oldest first over all subscribers. */
export function joinJudgements(judgements: readonly Judgement[]): Judgement {
  return {
    verdicts: judgements.flatMap(({ verdicts }) => verdicts),
    events: judgements.flatMap(({ events }) => events).sort((a, b) => a.event.occurredAtMs - b.event.occurredAtMs),
    targets: judgements.flatMap(({ targets }) => targets),
  };
}
