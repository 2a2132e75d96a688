/** Polls as the engine runs them: with the whole watch type of every subscriber. */
import type * as plan from "../plan/poll.ts";
import type { WatchType } from "../watches/watch-type.ts";

export type Poll = plan.Poll<WatchType<any>>;
export type Subscriber = plan.Subscriber<WatchType<any>>;
