/**
 * `state restore`: puts a backup in the state's place. What was there is moved to another name,
 * never deleted.
 */
import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../model/clock.ts";
import { listBackups, timeStamp } from "./backup.ts";
import { examine } from "./check.ts";
import { lockState } from "../files/lock.ts";
import {
  corrupt,
  isDiskFull,
  missingBackup,
  type OpenContext,
  openFailure,
} from "../files/open-failures.ts";
import { makePrivate, makePrivateFolders } from "../db/private-files.ts";
import { type ChangedByRestore, changedBy, readSetByHand, type SetByHand } from "./set-by-hand.ts";
import { countEventsSince, lastActivityMs, openHandle, type SqliteHandle } from "../db/sqlite.ts";

export interface Restored {
  readonly path: string;
  /** Where the former state is now; null when there was none. */
  readonly replaced: string | null;
  /** `0001`. */
  readonly schema: string;
  /**
   * What the backup last knew, epoch ms: what came later will be found again. Null when it knows
   * nothing yet.
   */
  readonly reachesMs: number | null;
  /**
   * Alerts that the former state holds of the time since; null when it cannot be read, or there was
   * none.
   */
  readonly alertsSince: number | null;
  /**
   * Silences and pauses that hold otherwise than in the former state; null when that cannot be
   * read, or there was none.
   */
  readonly changed: ChangedByRestore | null;
}

/** What is read of the backup before it is used. */
interface Copy extends Pick<Restored, "schema" | "reachesMs"> {
  readonly setByHand: SetByHand;
}

/**
 * @throws ExitError when there is no such backup, it is not sound or of a newer schema, a daemon
 * runs on the state, or the disk is full.
 */
export function restoreState(path: string, backup: string, clock: Clock): Restored {
  const newestBackup = listBackups(path)[0];
  if (!existsSync(backup)) throw missingBackup(backup, newestBackup);
  const part = `${path}.restoring`;
  let unlock: (() => void) | undefined;
  try {
    makePrivateFolders(dirname(path));
    unlock = lockState(path);
    copyFileSync(backup, part);
    makePrivate(part);
    const other = listBackups(path).find((one) => one !== backup);
    const nowMs = clock.now();
    const context = { path: backup, existed: true, newestBackup: other, isBackup: true };
    const { schema, reachesMs, setByHand } = readCopy(part, context, nowMs);
    const alertsSince =
      reachesMs === null ? null : readFormer(path, (handle) => countEventsSince(handle, reachesMs));
    const changed = readFormer(path, (handle) =>
      changedBy(readSetByHand(handle, nowMs), setByHand),
    );
    const replaced = moveAway(path, `${path}.replaced-${timeStamp(clock)}`);
    renameSync(part, path);
    return { path, replaced, schema, reachesMs, alertsSince, changed };
  } catch (error) {
    throw openFailure(error, { path, existed: existsSync(path), newestBackup });
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(part + suffix, { force: true });
    unlock?.();
  }
}

/**
 * The copy is what will be used, and reading it needs room on the state's disk only. Its name in
 * messages is the backup's.
 */
function readCopy(part: string, context: OpenContext, nowMs: number): Copy {
  try {
    return withHandle(part, (handle) => {
      const { problems, schema } = examine(handle, context);
      if (problems.length > 0) throw corrupt(context, problems[0] ?? "");
      return {
        schema,
        reachesMs: lastActivityMs(handle) ?? null,
        setByHand: readSetByHand(handle, nowMs),
      };
    });
  } catch (error) {
    throw isDiskFull(error) ? error : openFailure(error, context);
  }
}

/** A former state that is damaged is often why it is replaced. */
function readFormer<T>(path: string, read: (handle: SqliteHandle) => T): T | null {
  if (!existsSync(path)) return null;
  try {
    return withHandle(path, read);
  } catch {
    return null;
  }
}

function withHandle<T>(path: string, read: (handle: SqliteHandle) => T): T {
  const handle = openHandle(path, { readonly: true, mustExist: true });
  try {
    return read(handle);
  } finally {
    handle.close();
  }
}

/** The write-ahead log goes with its file: beside another one it would be wrong. */
function moveAway(path: string, target: string): string | null {
  const existed = existsSync(path);
  for (const suffix of ["-wal", "-shm", ""]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, target + suffix);
  }
  return existed ? target : null;
}
