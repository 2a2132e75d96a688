/** `state restore`: puts a backup in the state's place. What was there is moved to another name, never deleted. */
import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../model/clock.ts";
import { listBackups, timeStamp } from "./backup.ts";
import { examine } from "./check.ts";
import { lockState } from "../files/lock.ts";
import { corrupt, isDiskFull, missingBackup, type OpenContext, openFailure } from "../files/open-failures.ts";
import { makePrivate, makePrivateFolders } from "../db/private-files.ts";
import { countEventsSince, lastActivityMs, openHandle, type SqliteHandle } from "../db/sqlite.ts";

export interface Restored {
  readonly path: string;
  /** Where the former state is now; null when there was none. */
  readonly replaced: string | null;
  /** `0001`. */
  readonly schema: string;
  /** What the backup last knew, epoch ms: what came later will be found again. Null when it knows nothing yet. */
  readonly reachesMs: number | null;
  /** Alerts that the former state holds of the time since; null when it cannot be read, or there was none. */
  readonly alertsSince: number | null;
}

/** @throws ExitError when there is no such backup, it is not sound or of a newer schema, a daemon runs on the state, or the disk is full. */
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
    const { schema, reachesMs } = readCopy(part, { path: backup, existed: true, newestBackup: other, isBackup: true });
    const alertsSince = reachesMs === null ? null : countSince(path, reachesMs);
    const replaced = moveAway(path, `${path}.replaced-${timeStamp(clock)}`);
    renameSync(part, path);
    return { path, replaced, schema, reachesMs, alertsSince };
  } catch (error) {
    throw openFailure(error, { path, existed: existsSync(path), newestBackup });
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(part + suffix, { force: true });
    unlock?.();
  }
}

/** The copy is what will be used, and reading it needs room on the state's disk only. Its name in messages is the backup's. */
function readCopy(part: string, context: OpenContext): Pick<Restored, "schema" | "reachesMs"> {
  try {
    return withHandle(part, (handle) => {
      const { problems, schema } = examine(handle, context);
      if (problems.length > 0) throw corrupt(context, problems[0] ?? "");
      return { schema, reachesMs: lastActivityMs(handle) ?? null };
    });
  } catch (error) {
    throw isDiskFull(error) ? error : openFailure(error, context);
  }
}

/** A former state that is damaged is often why it is replaced. */
function countSince(path: string, sinceMs: number): number | null {
  if (!existsSync(path)) return null;
  try {
    return withHandle(path, (handle) => countEventsSince(handle, sinceMs));
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
