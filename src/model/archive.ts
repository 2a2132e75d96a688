/**
 * The archive as a port: what polls read that was new, for trying a configuration on it later.
 * Nothing but a backtest reads it.
 */
import type { EventBody } from "./event.ts";
import type { JsonObject } from "./json.ts";
import type { TargetRef } from "./watch-store.ts";

/** What detection made of a fact for one subscriber, before any condition of its watch. */
export interface FoundFact extends TargetRef {
  /** The name of the target as configured. */
  readonly targetName: string;
  readonly found: "news" | "baseline" | "too_old";
  /**
   * Set if it came while the watch was away: whether the watch was to skip that, or whether its
   * `on_return` decides.
   */
  readonly missed?: "skip" | "on_return";
  readonly type: string;
  readonly subject: string;
  readonly episode: string;
  readonly body: EventBody;
  readonly occurredAtMs: number;
}

/** A record whose values changed for a subscriber, and what was remembered of it before. */
export interface FoundValues extends TargetRef {
  readonly targetName: string;
  readonly record: JsonObject;
  readonly before: JsonObject;
}

/** What a subscriber found. Both lists keep the order of the evaluation. */
export interface Findings {
  readonly facts: readonly FoundFact[];
  readonly values: readonly FoundValues[];
}

/** The news of one poll. */
export interface ArchivedRead extends Findings {
  readonly atMs: number;
  /** The fingerprint of the source, or what else read it: `recheck`. */
  readonly source: string;
  /** How long a digest of what was missed waits for more. */
  readonly gatherMs: number;
}

/** What the archive holds. */
export interface ArchiveSize {
  readonly reads: number;
  readonly bytes: number;
  /** The times of the oldest and the newest read; null if there is none. */
  readonly firstAtMs: number | null;
  readonly lastAtMs: number | null;
}

/** The place of a read in the archive, in the order of time. */
export interface ArchivePlace {
  readonly atMs: number;
  readonly id: string;
}

export interface ArchiveStore {
  archiveSize(): Promise<ArchiveSize>;
  /**
   * Returns reads after a place, before `untilMs`, and the place to go on from. `limit` counts the
   * rows, each of which may hold many reads.
   */
  archivedReads(
    after: ArchivePlace,
    untilMs: number,
    limit: number,
  ): Promise<{ readonly reads: readonly ArchivedRead[]; readonly last: ArchivePlace | undefined }>;
  /** Compresses reads before `beforeMs`, many together, as soon as they are enough. */
  compressArchive(beforeMs: number): Promise<void>;
  /** Deletes reads before `beforeMs`, and the oldest while all take more than `maxBytes`. */
  trimArchive(beforeMs: number, maxBytes: number): Promise<void>;
}
