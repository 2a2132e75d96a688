/**
 * The types of polls and watches with complete watch types. `plan/` declares only the part of a
 * watch type that planning needs.
 */
import type * as plan from "../plan/poll.ts";
import type { PlannedWatch } from "../plan/polls/plan-polls.ts";
import type { WatchType } from "../watches/watch-type.ts";

export type Poll = plan.Poll<WatchType<any>>;
export type Planned = PlannedWatch<WatchType<any>>;
export type Subscriber = plan.Subscriber<WatchType<any>>;
