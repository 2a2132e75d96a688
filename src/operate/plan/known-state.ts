/**
 * Reads the facts for a plan from the state: the targets, the requests that watches have made, and
 * when each poll ran last.
 */
import type { Config } from "../../config/config.ts";
import { PollHistory } from "../../engine/loop/poll-history.ts";
import { readRatios } from "../../engine/quota/day-counter.ts";
import type { Clock } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import type { Store } from "../../model/store.ts";
import { createTimetable } from "../../schedule/timetable.ts";
import { archiveOffReason, readArchive } from "../archive/archive-view.ts";
import { planWatches, pollsOf } from "./configured-polls.ts";
import type { PlanFacts } from "./plan-view.ts";

export type KnownState = Required<
  Pick<PlanFacts, "states" | "ratioOf" | "lastPolledMs" | "archive">
>;

export async function readKnown(
  store: Store,
  config: Config,
  { hash, clock }: { readonly hash: Hash; readonly clock: Clock },
): Promise<KnownState> {
  const states = await store.listWatches();
  const planned = [...planWatches(config, hash, states).values()];
  const polls = pollsOf(planned, {
    hash,
    timetable: createTimetable(),
    nowMs: clock.now(),
    states,
  });
  const history = new PollHistory(clock);
  await history.load(polls, store);
  return {
    states,
    archive: await readArchive(store, archiveOffReason(config.state, undefined)),
    ratioOf: await readRatios(store),
    lastPolledMs: (key) => history.lastPolledAtMs.get(key),
  };
}
