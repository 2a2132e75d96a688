/**
 * Reports about what watches found in a period, in numbers. The fields are those of the JSON of
 * `chirpwatch report` and of `report.created`.
 */
import type { EventRecord } from "./history.ts";
import type { Json } from "./json.ts";

/** A report as configured. */
export interface ReportConfig {
  readonly name: string;
  readonly title: string;
  /** The ids of the watches that it covers. */
  readonly watches: readonly string[];
  /** Labels whose shares it shows. */
  readonly by: readonly string[];
  /** The number of authors and posts that the report names at most. */
  readonly top: number;
  readonly timezone: string;
  readonly sinks: readonly string[];
  /** Returns the next time after `epochMs` at which it is sent. */
  nextAtMs(epochMs: number): number;
}

/**
 * The options with which `chirpwatch events` lists the alerts that a number in the report counts.
 */
export type EventFilter = { readonly [option: string]: string };

export interface AlertCount {
  readonly count: number;
  readonly events: EventFilter;
}

/** A count with that of the previous period; null if the data of that period is incomplete. */
export interface ComparedCount {
  readonly count: number;
  readonly before: number | null;
}

export interface WatchReport {
  readonly watch: string;
  /** The items that were read; null for a watch that has none, because it reads values. */
  readonly read: ComparedCount | null;
  /** How many of the items read were rejected by filters; null if `read` is null. */
  readonly filtered: ComparedCount | null;
  readonly alerted: ComparedCount & { readonly events: EventFilter };
  /** The alerts of each day, oldest first. */
  readonly days: readonly { readonly day: string; readonly count: number }[];
}

export interface ReportView {
  /** The name; null for a report that is not configured. */
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
    /**
     * The number of all alerts. `values` are the most frequent ones, so their counts may add up to
     * less.
     */
    readonly count: number;
    readonly values: readonly { readonly value: string; readonly count: number }[];
  }[];
  readonly deleted: AlertCount;
  readonly silenced: AlertCount;
  readonly given_up: AlertCount;
  readonly acknowledged: AlertCount;
  readonly not_acknowledged: AlertCount;
  readonly not_relevant: AlertCount & {
    /** The author of most of these alerts, without @; empty if they have none. */
    readonly top_author: string;
    readonly by_top_author: number;
  };
}

/** The requested report: by its name, or of one watch. */
export interface ReportQuery {
  readonly name?: string;
  readonly watch?: string;
  readonly sinceMs: number;
}

/** Returns the report as the body of an event. */
export const reportJson = (report: ReportView): Json => report as unknown as Json;

/** What polls read of one watch: new items, and how many of them its filters rejected. */
export interface WatchReads {
  readonly read: number;
  readonly filtered: number;
}

/** The fields of an event that decide whether a report counts it. */
export interface EventHead {
  readonly id: string;
  readonly watch: string;
  readonly watchType: string;
  readonly detectedAtMs: number;
}

export interface EventHeads {
  /** The events, newest first. */
  readonly heads: readonly EventHead[];
  /** Where the next page begins; null if everything older was found before the requested time. */
  readonly next: string | null;
}

export interface ReportStore {
  /**
   * Returns the sums of the hours that begin at or after `fromMs` and before `toMs`, by the keys of
   * the watches. A watch that read nothing is absent. Callers request a few watches at a time.
   */
  watchReads(
    watchKeys: readonly string[],
    fromMs: number,
    toMs: number,
  ): Promise<ReadonlyMap<string, WatchReads>>;
  /** Returns the first hour that was counted; null before the first. */
  firstWatchHour(): Promise<number | null>;
  /** Returns a page of the events. `before` is the `next` of the previous page. */
  eventHeads(sinceMs: number, before?: string): Promise<EventHeads>;
  /**
   * Returns the events with their deliveries, in the order of the ids. Callers request a few at a
   * time.
   */
  eventRecords(ids: readonly string[]): Promise<readonly EventRecord[]>;
}
