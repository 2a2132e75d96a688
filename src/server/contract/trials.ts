/**
 * What somebody can try on the pages of a running daemon. A test of a watch and a backfill cost
 * requests, so that each says its price before. Implemented in `operate/try/trials.ts`.
 */

/** What a test of a watch costs. */
export interface TestPrice {
  readonly requests: number;
  /** How many targets are left out, because a test reads a few only. */
  readonly leftOut: number;
}

/** What a test of a watch read, without storing or sending anything. */
export interface TestedTarget {
  readonly name: string;
  /** Why the target could not be read; empty if it could. */
  readonly problem: string;
  readonly items: readonly {
    readonly title: string;
    readonly text: string;
    /** Why the item would raise no alert; empty if it would, if it is new. */
    readonly rejected: string;
  }[];
}

/** What a backfill would cost; `requests` is undefined if the watch is too young to say. */
export interface BackfillPrice {
  readonly requests: number | undefined;
  /** The sources that must still be read. */
  readonly unread: number;
}

/** What a backfill did. */
export interface Backfilled {
  readonly alerts: number;
  readonly requests: number;
  /** Why it ended before it reached the wanted time; empty if it did not. */
  readonly cut: string;
}

/** `by` is the caller, for the audit. */
export interface Trials {
  /**
   * Sends one message, marked as a sample, to a sink at once. Resolves to why the sink did not take
   * it, empty if it did, or to undefined if there is no sink of that name.
   */
  testSink(sink: string, by: string): Promise<{ readonly error: string } | undefined>;
  /** Resolves to undefined if there is no watch with that id. */
  testPrice(watchId: string): Promise<TestPrice | undefined>;
  /** Polls a watch once. @throws UpstreamError, RequestHeld */
  testWatch(watchId: string, by: string): Promise<readonly TestedTarget[] | undefined>;
  /** Resolves to undefined if no past of the watch can be read. */
  backfillPrice(watchId: string, sinceMs: number): Promise<BackfillPrice | undefined>;
  /** Reads the past with at most so many requests, and turns it into alerts. */
  backfill(request: {
    readonly watchId: string;
    readonly sinceMs: number;
    readonly maxRequests: number;
    readonly by: string;
  }): Promise<Backfilled | undefined>;
}
