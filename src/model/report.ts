/**
 * Reports: what the watches found in a time, in numbers. The JSON of `chirpwatch report` and of
 * `report.created`, field for field.
 */
import type { EventRecord } from "./history.ts";
import type { Json } from "./json.ts";

/** A report as it is configured. */
export interface ReportConfig {
  readonly name: string;
  readonly title: string;
  /** Ids of the watches that it is about. */
  readonly watches: readonly string[];
  /** Labels whose shares it shows. */
  readonly by: readonly string[];
  /** The number of authors and posts that the report names at most. */
  readonly top: number;
  readonly timezone: string;
  readonly sinks: readonly string[];
  /** The next time it goes out, after `epochMs`. */
  nextAtMs(epochMs: number): number;
}

/** How `chirpwatch events` lists the alerts that a number counts. */
export type EventFilter = { readonly [option: string]: string };

export interface AlertCount {
  readonly count: number;
  readonly events: EventFilter;
}

/** A count with that of the period before; null where that is not whole. */
export interface ComparedCount {
  readonly count: number;
  readonly before: number | null;
}

export interface WatchReport {
  readonly watch: string;
  readonly read: ComparedCount;
  readonly filtered: ComparedCount;
  readonly alerted: ComparedCount & { readonly events: EventFilter };
  /** Alerts of each day, the oldest first. */
  readonly days: readonly { readonly day: string; readonly count: number }[];
}

export interface ReportView {
  /** Null for one that is not configured. */
  readonly name: string | null;
  readonly title: string;
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
  readonly watches: readonly WatchReport[];
  readonly top_authors: readonly {
    readonly handle: string;
    readonly name: string;
    readonly alerted: AlertCount;
  }[];
  /** The posts with the most engagement, counted when each was last seen. */
  readonly top_posts: readonly {
    readonly id: string;
    readonly author: string;
    readonly text: string;
    readonly url: string;
    readonly likes: number;
    readonly reposts: number;
    readonly replies: number;
    readonly seen_at: string;
  }[];
  readonly shares: readonly {
    readonly label: string;
    /** All alerts. `values` are the most frequent ones, so that their counts may add up to less. */
    readonly count: number;
    readonly values: readonly { readonly value: string; readonly count: number }[];
  }[];
  readonly deleted: AlertCount;
  readonly silenced: AlertCount;
  readonly given_up: AlertCount;
}

/** Which report is asked for: by its name, or of one watch. */
export interface ReportQuery {
  readonly name?: string;
  readonly watch?: string;
  readonly sinceMs: number;
}

/** Returns the report as the body of an event. */
export const reportJson = (report: ReportView): Json => report as unknown as Json;

/** What polls read of one watch: items that were new, and those of them that its filters left out. */
export interface WatchReads {
  readonly read: number;
  readonly filtered: number;
}

/** What decides whether an event counts, without its body. */
export interface EventHead {
  readonly id: string;
  readonly watch: string;
  readonly watchType: string;
  readonly detectedAtMs: number;
}

export interface EventHeads {
  /** Newest first. */
  readonly heads: readonly EventHead[];
  /** Where the next page begins. Null where all that is older was found before the time asked for. */
  readonly next: string | null;
}

export interface ReportStore {
  /**
   * The sums of the hours that begin from `fromMs` on and before `toMs`, by the keys of the watches.
   * A watch that read nothing is absent. Callers ask for a few watches at a time.
   */
  watchReads(
    watchKeys: readonly string[],
    fromMs: number,
    toMs: number,
  ): Promise<ReadonlyMap<string, WatchReads>>;
  /** The first hour that was counted; null before the first. */
  firstWatchHour(): Promise<number | null>;
  /** A page of the events; `before` is the `next` of the page before. */
  eventHeads(sinceMs: number, before?: string): Promise<EventHeads>;
  /** The events with what became of them, in the order of the ids. Callers ask for a few at a time. */
  eventRecords(ids: readonly string[]): Promise<readonly EventRecord[]>;
}
