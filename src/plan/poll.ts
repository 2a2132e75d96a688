/** The plan as data: polls, who shares them, what they cost. Printed by `chirpwatch plan`, run by the engine. */
import type { Priority, Schedule } from "../model/schedule.ts";
import type { Source } from "../model/source.ts";
import type { Watch } from "../model/watch.ts";
import type { WatchType } from "../watches/watch-type.ts";

/** One watch's interest in one target of a poll. */
export interface Subscriber {
  readonly watch: Watch;
  // Settings are only handed back to the type that parsed them.
  readonly type: WatchType<any>;
  readonly watchKey: string;
  readonly targetKey: string;
  /** As written in the YAML: the `target` label. */
  readonly targetName: string;
}

export interface Poll {
  /** Fingerprint of the source. */
  readonly key: string;
  readonly source: Source;
  readonly detector: "feed" | "roster" | "reading";
  /** The fastest of its sharers. */
  readonly schedule: Schedule;
  readonly intervalMs: number;
  readonly spreadMs: number;
  /** The highest of its sharers. */
  readonly priority: Priority;
  /** The deepest of its sharers. */
  readonly maxPages: number;
  readonly overlapMs: number;
  /** Requests of one poll with less than a page of news. */
  readonly costRequests: number;
  readonly subscribers: readonly Subscriber[];
}
