/**
 * Makes backups next to the state file, named `<state>.backup-<schema>-<time>`. A backup is
 * complete or does not exist.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Clock, isoTime } from "../../model/clock.ts";
import { schemaNumber } from "../migrations/migrate.ts";
import { missing, openFailure } from "../files/open-failures.ts";
import { appliedMigrations, copyTo, openHandle, type SqliteHandle } from "../db/sqlite.ts";

/**
 * Returns a time stamp such as `20260102T030405Z`, which sorts by time and is allowed in file names
 * everywhere.
 */
export const timeStamp = (clock: Clock): string => isoTime(clock.now()).replace(/[-:]|\.\d+/g, "");

/** Returns the backups of a state file, newest first. */
export function listBackups(path: string): readonly string[] {
  const folder = dirname(path);
  const prefix = `${basename(path)}.backup-`;
  const time = (name: string) => name.slice(name.lastIndexOf("-") + 1);
  return namesIn(folder)
    .filter((name) => name.startsWith(prefix) && /-\d{8}T\d{6}Z$/.test(name))
    .sort((a, b) => (time(a) < time(b) ? 1 : -1))
    .map((name) => join(folder, name));
}

/**
 * Returns the names in a folder; none if the folder is missing or unreadable. In that case, opening
 * the state reports the error.
 */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export interface Backup {
  readonly path: string;
  readonly bytes: number;
}

/** Copies an open state. A copy that was cut off keeps its name `.part`, and is no backup. */
export async function backupHandle(
  handle: SqliteHandle,
  path: string,
  clock: Clock,
): Promise<Backup> {
  const target = `${path}.backup-${schemaNumber(appliedMigrations(handle) ?? [])}-${timeStamp(clock)}`;
  const part = `${target}.part`;
  try {
    await copyTo(handle, part);
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
  return { path: target, bytes: statSync(target).size };
}

/** Runs `state backup`, even while a daemon runs. @throws ExitError */
export async function backupState(path: string, clock: Clock): Promise<Backup> {
  const context = { path, existed: existsSync(path), newestBackup: listBackups(path)[0] };
  if (!context.existed) throw missing(context);
  let handle: SqliteHandle | undefined;
  try {
    handle = openHandle(path, { readonly: true, mustExist: true });
    return await backupHandle(handle, path, clock);
  } catch (error) {
    throw openFailure(error, context);
  } finally {
    handle?.close();
  }
}
