/** What the daemons on this state have learned of how much is posted and asked: what makes a plan's forecast better than a guess. */
import { readRatios } from "../../engine/quota/day-counter.ts";
import { learnedIn } from "../../groups/runners.ts";
import { createProbeStates } from "../../groups/probing/probe-states.ts";
import type { Clock } from "../../model/clock.ts";
import type { LearnedStore } from "../../model/learned.ts";
import type { Learned } from "../../plan/rates/learned.ts";

export async function readLearned(store: LearnedStore, clock: Clock): Promise<Learned> {
  const probeStates = createProbeStates(store, clock);
  await probeStates.load();
  return { ...learnedIn(probeStates), ratioOf: await readRatios(store) };
}
