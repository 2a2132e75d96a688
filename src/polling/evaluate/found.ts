/**
 * Creates the archive's records of what detection found for a subscriber, before the conditions of
 * the watch are applied.
 */
import type { Findings, FoundFact, FoundMembers, FoundValues } from "../../model/archive.ts";
import type { JsonObject } from "../../model/json.ts";
import type { TargetState } from "../../model/watch-store.ts";
import type { Subscriber } from "../watch-poll.ts";
import type { Missed } from "./absence.ts";
import type { Fact } from "./make-event.ts";
import type { SubscriberEvaluation } from "./verdicts.ts";

type Finder = Pick<Subscriber, "watchKey" | "targetKey" | "targetName">;

export function foundFact(
  { watchKey, targetKey, targetName }: Finder,
  { type, subject, episode, body, occurredAtMs }: Fact,
  found: FoundFact["found"],
  missed?: Missed,
): FoundFact {
  // A poll finds up to thousands of facts. A spread would take a hundred times as long.
  const row = {
    watchKey,
    targetKey,
    targetName,
    found,
    type,
    subject,
    episode,
    body,
    occurredAtMs,
  };
  return missed === undefined ? row : { ...row, ...missedPart(missed) };
}

const missedPart = (missed: Missed | undefined): Pick<FoundFact, "missed"> =>
  missed === undefined ? {} : { missed: missed.isFromNow ? "skip" : "on_return" };

/**
 * Returns the record of changed values. The last record in the memory is left out of `before`,
 * because it was archived when it was new.
 */
export function foundValues(
  { watchKey, targetKey, targetName }: Finder,
  { memory }: Pick<TargetState, "memory">,
  record: JsonObject,
  { episode, missed }: { readonly episode: string; readonly missed: Missed | undefined },
): FoundValues {
  const { last: _, ...before } = memory;
  return { watchKey, targetKey, targetName, record, before, episode, ...missedPart(missed) };
}

/** Returns the record of members that belong to the baseline. Only their ids are kept. */
export const foundMembers = (
  { watchKey, targetKey, targetName }: Finder,
  ids: readonly string[],
): FoundMembers => ({ watchKey, targetKey, targetName, ids });

/** Joins what the subscribers of a poll found; undefined if they found nothing. */
export function joinFound(evaluations: readonly SubscriberEvaluation[]): Findings | undefined {
  const facts = evaluations.flatMap(({ found }) => found?.facts ?? []);
  const values = evaluations.flatMap(({ found }) => found?.values ?? []);
  const baselines = evaluations.flatMap(({ found }) => found?.baselines ?? []);
  if (facts.length + values.length + baselines.length === 0) return undefined;
  return { facts, values, ...(baselines.length === 0 ? {} : { baselines }) };
}
