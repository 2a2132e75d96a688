/** What the evaluation of a poll goes by, whatever was read. */
import type { Hash } from "../../model/hash.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";

export interface EvaluationContext {
  readonly hash: Hash;
  readonly serviceClock: ServiceClock;
  readonly detectedAtMs: number;
  /** A fresh random id, for what can recur. */
  readonly episode: string;
}
