/** Chooses the algorithm that paces a group of accounts, by the kind of its `freshness`. */
import type { Freshness } from "../../../model/schedule.ts";
import { probesForMean } from "./group-mean.ts";
import { probesForP95 } from "./group-p95.ts";
import type { ProbeAlgorithm } from "./group-pace.ts";

export const probeAlgorithm = (freshness: Freshness): ProbeAlgorithm =>
  freshness.kind === "mean" ? probesForMean(freshness) : probesForP95(freshness);
