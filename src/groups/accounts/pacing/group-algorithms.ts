/** The algorithm of an accounts group for each kind of freshness. */
import type { Freshness } from "../../../model/schedule.ts";
import { type MeanMemory, probesForMean } from "./group-mean.ts";
import { type P95Memory, probesForP95 } from "./group-p95.ts";
import type { ProbeAlgorithm } from "./group-pace.ts";

/** What a group learns of its pace under either kind. */
export type LearnedPace = MeanMemory & P95Memory;

export const probeAlgorithm = (freshness: Freshness): ProbeAlgorithm<LearnedPace> =>
  freshness.kind === "mean" ? probesForMean(freshness) : probesForP95(freshness);
