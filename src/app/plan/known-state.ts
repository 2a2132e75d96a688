/** What a state knows that a plan goes by: the targets, what watches took, and when each poll ran last. */
import type { Config } from "../../config/config.ts";
import { dateGroup } from "../../engine/plan-facts.ts";
import { readRatios } from "../../engine/quota/day-counter.ts";
import type { Clock } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import type { Store } from "../../model/store.ts";
import { createTimetable } from "../../schedule/timetable.ts";
import { planWatches, pollsOf } from "./configured-polls.ts";
import type { PlanFacts } from "./plan-view.ts";

export type KnownState = Required<Pick<PlanFacts, "states" | "ratioOf" | "lastPolledMs">>;

export async function readKnown(
  store: Store,
  config: Config,
  { hash, clock }: { readonly hash: Hash; readonly clock: Clock },
): Promise<KnownState> {
  const states = await store.listWatches();
  const planned = [...planWatches(config, hash, states).values()];
  const polls = pollsOf(planned, { hash, timetable: createTimetable(), nowMs: clock.now(), states });
  const sources = await store.loadSources(polls.map(({ key }) => key));
  const times = new Map(sources.flatMap(({ fingerprint, lastPollAtMs }) => (lastPollAtMs === null ? [] : [[fingerprint, lastPollAtMs]])));
  for (const poll of polls) await dateGroup(poll, { lastPolledAtMs: times, lastOkAtMs: new Map() }, store);
  return { states, ratioOf: await readRatios(store), lastPolledMs: (key) => times.get(key) };
}
