/**
 * Evaluates what a ranked list showed, for one subscriber: which entries entered, left or moved.
 */
import {
  detectRanking,
  type RankingFinding,
  type RankingMemory,
  type RankingRule,
} from "../../detect/ranking.ts";
import type { EventBody } from "../../model/event.ts";
import type { JsonObject } from "../../model/json.ts";
import type { TargetState } from "../../model/watch-store.ts";
import type { Subscriber } from "../watch-poll.ts";
import { missedOnce, withMissed } from "./absence.ts";
import { foundFact, foundValues } from "./found.ts";
import { type EvaluationContext, type Fact, makeEvent } from "./make-event.ts";
import { changeOf, WELL } from "./target-change.ts";
import { type SubscriberEvaluation, NOTHING } from "./verdicts.ts";

export interface RankingContext extends Omit<EvaluationContext, "serviceClock"> {
  readonly rule: RankingRule;
}

/** Evaluates the list. An empty list changes nothing, because it is a suspicious empty response. */
export function evaluateRanking(
  subscriber: Subscriber,
  target: TargetState,
  record: JsonObject,
  context: RankingContext,
): SubscriberEvaluation {
  const { rule, detectedAtMs } = context;
  const entries = rankedEntries(record, rule);
  if (entries.size === 0) return NOTHING;
  const before = "ranks" in target.memory ? (target.memory as unknown as RankingMemory) : undefined;
  const finding = detectRanking(before, [...entries.keys()], rule);
  const isUnchanged =
    JSON.stringify(finding.memory) === JSON.stringify(target.memory) && target.status === "ok";
  if (isUnchanged) return NOTHING;
  const memory = finding.memory as unknown as JsonObject;
  const change = {
    ...changeOf(target),
    memory,
    baselineAtMs: target.baselineAtMs ?? detectedAtMs,
    ...WELL,
  };
  const missed = missedOnce(subscriber.watch, target);
  const facts = rankingFacts(finding, entries, target, context);
  const events = facts
    .filter(({ body }) => subscriber.watch.where?.matches(body) !== false)
    .map((fact) => makeEvent(context, subscriber, fact));
  return {
    verdicts: [],
    events: withMissed(events, missed),
    targets: [change],
    found: {
      facts: facts.map((fact) => foundFact(subscriber, fact, "news", missed)),
      values: [foundValues(subscriber, target, record, { episode: context.episode, missed })],
    },
  };
}

/** Returns the facts of a list, before the conditions of the watch are applied. */
export const rankingFacts = (
  finding: RankingFinding,
  entries: ReadonlyMap<string, JsonObject>,
  target: Pick<TargetState, "key">,
  { rule, episode, detectedAtMs }: Pick<RankingContext, "rule" | "episode" | "detectedAtMs">,
): readonly Fact[] =>
  finding.facts.map((fact): Fact => {
    const entry = { ...(entries.get(fact.key) ?? { [rule.key]: fact.key }), rank: fact.rank };
    const body: EventBody = { [rule.name]: entry, previous: { rank: fact.previousRank } };
    const subject = `${target.key}/${fact.key}`;
    return { type: fact.event, subject, episode, body, occurredAtMs: detectedAtMs };
  });

/**
 * Returns the entries by key, in the order of the list. If a key is repeated, its first entry
 * counts.
 */
export function rankedEntries(
  record: JsonObject,
  { list, key }: RankingRule,
): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  const items = record[list];
  for (const item of Array.isArray(items) ? items : []) {
    const name = (item as JsonObject | null)?.[key];
    if (typeof name === "string" && name !== "" && !found.has(name))
      found.set(name, item as JsonObject);
  }
  return found;
}
