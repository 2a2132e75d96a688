/**
 * Decides whether polls archive what they find: only if the active configuration says so, and only
 * while the volume of the state has room. Also compresses the archive, and deletes its oldest
 * reads.
 */
import type { Config } from "../config/config.ts";
import { repeat } from "../engine/health/repeat.ts";
import type { ArchiveStore } from "../model/archive.ts";
import type { Cancel, Clock } from "../model/clock.ts";
import type { Files } from "../model/files.ts";
import type { Log } from "../model/log.ts";
import { archiveOffReason, MIN_FREE_BYTES } from "../operate/archive/archive-view.ts";

const CHECK_SPACE_EVERY_MS = 600_000;
const TRIM_EVERY_MS = 600_000;
/**
 * Only reads that are at least this old are compressed, because another replica may still be adding
 * younger ones.
 */
const COMPRESS_AFTER_MS = 60_000;
const FIRST_AFTER_MS = 30_000;

export interface Archiving {
  /** Returns whether new facts that polls find are archived now. */
  readonly isArchiving: () => boolean;
  /** Returns why nothing is archived now; undefined if polls are archived. */
  readonly offReason: () => string | undefined;
  /**
   * Starts measuring the free space of the volume at intervals. Returns a function that stops this.
   */
  watchSpace(): Cancel;
  /**
   * Starts compressing the archive and deleting old reads at intervals. Only one of the processes
   * that share a state does this. Returns a function that stops it.
   */
  startTrimming(): Cancel;
}

export function createArchiving(deps: {
  readonly store: Pick<ArchiveStore, "compressArchive" | "trimArchive">;
  readonly files: Pick<Files, "freeBytes">;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: () => Config;
}): Archiving {
  const { store, files, clock, log, config } = deps;
  let freeBytes: number | undefined;
  const offReason = () => archiveOffReason(config().state, freeBytes);
  const checkSpace = async () => {
    const { path, postgres } = config().state;
    if (postgres !== undefined || files.freeBytes === undefined) return;
    const hadRoom = (freeBytes ?? MIN_FREE_BYTES) >= MIN_FREE_BYTES;
    freeBytes = await files.freeBytes(path);
    if (hadRoom && freeBytes < MIN_FREE_BYTES)
      log.warn("what polls find is not archived, because the volume is nearly full", {
        path,
        freeBytes,
      });
  };
  const trim = async () => {
    const limits = config().state.archive;
    if (limits === undefined) return store.trimArchive(Number.MAX_SAFE_INTEGER, 0);
    await store.compressArchive(clock.now() - COMPRESS_AFTER_MS);
    await store.trimArchive(clock.now() - limits.keepMs, limits.maxBytes);
  };
  const everyMs = { firstAfterMs: FIRST_AFTER_MS, clock };
  return {
    isArchiving: () => offReason() === undefined,
    offReason,
    watchSpace() {
      void checkSpace().catch(() => undefined);
      return repeat({
        ...everyMs,
        everyMs: CHECK_SPACE_EVERY_MS,
        work: checkSpace,
        onError: (error) => log.warn("the free space of the volume is unknown", { error }),
      });
    },
    startTrimming: () =>
      repeat({
        ...everyMs,
        everyMs: TRIM_EVERY_MS,
        work: trim,
        onError: (error) => log.warn("the archive could not be trimmed", { error }),
      }),
  };
}
