/** Notes what detection found, before the conditions of a watch, for the archive. */
import type { Findings, FoundFact, FoundValues } from "../../model/archive.ts";
import type { JsonObject } from "../../model/json.ts";
import type { TargetState } from "../../model/watch-store.ts";
import type { Subscriber } from "../watch-poll.ts";
import type { Missed } from "./absence.ts";
import type { Fact } from "./make-event.ts";
import type { SubscriberEvaluation } from "./verdicts.ts";

type Finder = Pick<Subscriber, "watchKey" | "targetKey" | "targetName">;

export const foundFact = (
  { watchKey, targetKey, targetName }: Finder,
  fact: Fact,
  found: FoundFact["found"],
  missed?: Missed,
): FoundFact => ({
  ...{ watchKey, targetKey, targetName, found },
  ...(missed === undefined ? {} : { missed: missed.isFromNow ? "skip" : "on_return" }),
  ...fact,
});

/** Notes values that changed. A record that is kept for its end was archived when it was new. */
export function foundValues(
  { watchKey, targetKey, targetName }: Finder,
  { memory }: Pick<TargetState, "memory">,
  record: JsonObject,
): FoundValues {
  const { last: _, ...before } = memory;
  return { watchKey, targetKey, targetName, record, before };
}

/** Joins what the subscribers of a poll found; undefined if that is nothing. */
export function joinFound(evaluations: readonly SubscriberEvaluation[]): Findings | undefined {
  const facts = evaluations.flatMap(({ found }) => found?.facts ?? []);
  const values = evaluations.flatMap(({ found }) => found?.values ?? []);
  return facts.length + values.length === 0 ? undefined : { facts, values };
}
