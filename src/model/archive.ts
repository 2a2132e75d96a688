/**
 * The storage port of the archive. The archive contains everything new that polls read, so that a
 * backtest can later try another configuration on it. Nothing else reads the archive.
 */
import type { EventBody } from "./event.ts";
import type { JsonObject } from "./json.ts";
import type { TargetRef } from "./watch-store.ts";

/**
 * A fact that detection found for one subscriber, before the conditions of the subscriber's watch
 * were applied.
 */
export interface FoundFact extends TargetRef {
  /** The name of the target as configured. */
  readonly targetName: string;
  readonly found: "news" | "baseline" | "too_old";
  /**
   * Set if the fact occurred while the watch was not polled: `skip` if the watch skips such facts,
   * `on_return` if the watch's setting `on_return` decides.
   */
  readonly missed?: "skip" | "on_return";
  readonly type: string;
  readonly subject: string;
  readonly episode: string;
  readonly body: EventBody;
  readonly occurredAtMs: number;
}

/**
 * A record whose values changed for a subscriber, and what the subscriber remembered of the record
 * before. `episode` and `missed` are those of the facts that the record raised, or would raise by
 * other thresholds.
 */
export interface FoundValues extends TargetRef, Pick<FoundFact, "missed"> {
  readonly targetName: string;
  readonly record: JsonObject;
  readonly before: JsonObject;
  /** Empty in archives of older releases, which did not store it. */
  readonly episode: string;
}

/** The members that were on a list when the baseline of a subscriber was read. */
export interface FoundMembers extends TargetRef {
  readonly targetName: string;
  /** Their user ids. */
  readonly ids: readonly string[];
}

/** What a subscriber found. All lists keep the order in which it was found. */
export interface Findings {
  readonly facts: readonly FoundFact[];
  readonly values: readonly FoundValues[];
  /** Absent if the poll read no part of a list's baseline. */
  readonly baselines?: readonly FoundMembers[];
}

/** Everything new that one poll or recheck found. */
export interface ArchivedRead extends Findings {
  readonly atMs: number;
  /** The fingerprint of the source that was polled; `recheck` if a recheck found the news. */
  readonly source: string;
  /** How long, in milliseconds, a digest of missed facts waits for further facts. */
  readonly gatherMs: number;
  /**
   * Set if the read was committed in the same transaction as the read before it. The events of such
   * reads are created together, in one order.
   */
  readonly sameCommit?: true;
}

/** The size of the archive, and the period that it covers. */
export interface ArchiveSize {
  readonly reads: number;
  readonly bytes: number;
  /**
   * The times of the oldest and, below it, the newest read, in epoch ms; null if the archive is
   * empty.
   */
  readonly firstAtMs: number | null;
  readonly lastAtMs: number | null;
}

/** The place of a row in the archive. Rows are in the order of their commits. */
export interface ArchivePlace {
  readonly atMs: number;
  readonly id: string;
}

export interface ArchiveStore {
  archiveSize(): Promise<ArchiveSize>;
  /**
   * Returns the reads after a place and before `untilMs`, and the place at which the next call
   * continues. `limit` is the maximum number of rows, each of which may contain many reads. Reads
   * of one commit are never apart.
   */
  archivedReads(
    after: ArchivePlace,
    untilMs: number,
    limit: number,
  ): Promise<{ readonly reads: readonly ArchivedRead[]; readonly last: ArchivePlace | undefined }>;
  /**
   * Compresses reads from before `beforeMs`, many of them together in one row. The newest of them
   * wait until there are enough for a row.
   */
  compressArchive(beforeMs: number): Promise<void>;
  /**
   * Deletes reads from before `beforeMs`. Then deletes the oldest reads until the archive is at
   * most `maxBytes` large.
   */
  trimArchive(beforeMs: number, maxBytes: number): Promise<void>;
}
