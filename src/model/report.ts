/**
 * Reports: what the watches found in a time, in numbers. The JSON of `chirpwatch report` and of
 * `report.created`, field for field.
 */
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

/**
 * What polls read of one watch in one hour: items that were new, and those of them that its filters
 * left out.
 */
export interface WatchHour {
  readonly watchKey: string;
  readonly hourMs: number;
  readonly read: number;
  readonly filtered: number;
}

export interface ReportStore {
  /** Hours that begin within the time; none where nothing was read. */
  watchHours(fromMs: number, toMs: number): Promise<readonly WatchHour[]>;
  /** The first hour that was counted; null before the first. */
  firstWatchHour(): Promise<number | null>;
}
