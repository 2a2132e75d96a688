/**
 * Chooses the algorithm that paces a feed, by the kind of its `freshness`, and returns what plan
 * and forecast expect of its reads. Pure.
 */
import type { Freshness } from "../../model/schedule.ts";
import type { FreshTiming, Poll } from "../../plan/poll.ts";
import type { PlacedRuns } from "../kind/group-kind.ts";
import { readsForMean } from "./feed-mean.ts";
import { readsForP95 } from "./feed-p95.ts";
import type { ReadAlgorithm } from "./feed-pace.ts";

export const readAlgorithm = (freshness: Freshness): ReadAlgorithm =>
  freshness.kind === "mean" ? readsForMean(freshness) : readsForP95(freshness);

/** Returns the expected runs of a feed, or of several feeds that are read together. */
export const placedReads = (_: Poll, { freshness }: FreshTiming): PlacedRuns => ({
  delay: readAlgorithm(freshness).delay,
  perDay: undefined,
});
