/** What a state knows that a plan goes by: the targets, what was learned, how groups are read, and when each poll ran last. */
import type { Config } from "../../config/config.ts";
import { dateGroup } from "../../engine/plan-facts.ts";
import { groupKindOf } from "../../groups/registry.ts";
import type { Clock } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Store } from "../../model/store.ts";
import { createTimetable } from "../../schedule/timetable.ts";
import { planWatches, pollsOf } from "./configured-polls.ts";
import { readLearned } from "./learned.ts";
import type { PlanFacts } from "./plan-view.ts";

export type KnownState = Required<Pick<PlanFacts, "states" | "learned">> & { readonly lastPolledMs: (key: string) => number | undefined };

export async function readKnown(
  store: Store,
  config: Config,
  { hash, clock }: { readonly hash: Hash; readonly clock: Clock },
): Promise<KnownState> {
  const [states, learned, nowMs] = [await store.listWatches(), await readLearned(store, clock), clock.now()];
  const planned = [...planWatches(config, hash, states).values()];
  const polls = pollsOf(planned, { hash, timetable: createTimetable(), nowMs, states, learned });
  const sources = await store.loadSources(polls.map(({ key }) => key));
  const times = new Map(sources.flatMap(({ fingerprint, lastPollAtMs }) => (lastPollAtMs === null ? [] : [[fingerprint, lastPollAtMs]])));
  for (const poll of polls) await dateGroup(poll, { lastPolledAtMs: times, lastOkAtMs: new Map() }, store);
  const memories = await store.loadLearned("groups");
  const strategies = new Map(
    polls.map((poll) => [poll.key, groupKindOf(poll).restoreStrategy((memories.get(poll.key) ?? {}) as JsonObject, nowMs)]),
  );
  return { states, learned: { ...learned, activeStrategyOf: (key) => strategies.get(key) }, lastPolledMs: (key) => times.get(key) };
}
