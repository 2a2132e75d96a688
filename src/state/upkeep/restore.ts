/** Restores a backup for `state restore`. The state that was there is renamed, never deleted. */
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
  /** The new name of the former state; null if there was none. */
  readonly replaced: string | null;
  /** The number of the schema, such as `0001`. */
  readonly schema: string;
  /**
   * The time of the last poll, request or event in the backup, in epoch ms; null if it has none.
   * Whatever happened later will be found again.
   */
  readonly reachesMs: number | null;
  /**
   * The number of alerts that the former state has from after `reachesMs`; null if it cannot be
   * read or does not exist.
   */
  readonly alertsSince: number | null;
  /**
   * The silences and pauses that the restore changes; null if the former state cannot be read or
   * does not exist.
   */
  readonly changed: ChangedByRestore | null;
}

/** The facts that are read from a backup before it is restored. */
interface Copy extends Pick<Restored, "schema" | "reachesMs"> {
  readonly setByHand: SetByHand;
}

/**
 * Restores a backup. @throws ExitError if there is no such backup, if it is damaged or has a newer
 * schema, if a daemon runs on the state, or if the disk is full
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
 * Reads the copy and not the backup, because the copy is what will be used, and because reading it
 * takes room only on the state's disk. Messages name the backup.
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

/**
 * Reads a value from the state that is replaced; null if that fails. The state may be damaged,
 * which is often the reason for a restore.
 */
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

/** Moves the state file with its write-ahead log, which would corrupt a different file. */
function moveAway(path: string, target: string): string | null {
  const existed = existsSync(path);
  for (const suffix of ["-wal", "-shm", ""]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, target + suffix);
  }
  return existed ? target : null;
}
