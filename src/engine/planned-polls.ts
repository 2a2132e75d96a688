/** The polls of the plan, as poll-planner.ts made them last: read by those who price, run and show polls. */
import type { Poll } from "../polling/watch-poll.ts";
import { indexByWatch } from "./plan-facts.ts";

export class PlannedPolls {
  #all: readonly Poll[] = [];
  #byWatch: ReadonlyMap<string, readonly Poll[]> = new Map();

  get all(): readonly Poll[] {
    return this.#all;
  }

  /** Those that serve a watch. */
  of(watchId: string): readonly Poll[] {
    return this.#byWatch.get(watchId) ?? [];
  }

  set(polls: readonly Poll[]): void {
    this.#all = polls;
    this.#byWatch = indexByWatch(polls);
  }
}
