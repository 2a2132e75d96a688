/** `state restore`: puts a backup in the state's place. What was there is moved aside, never deleted. */
import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import type { Clock } from "../model/clock.ts";
import { listBackups, timeStamp } from "./backup.ts";
import { checkState } from "./check.ts";
import { lockState } from "./lock.ts";
import { cannotCreate, corrupt, missingBackup } from "./open-failures.ts";

export interface Restored {
  readonly path: string;
  /** Where the former state is now; null when there was none. */
  readonly replaced: string | null;
  /** `0001`. */
  readonly schema: string;
}

/** @throws ExitError when there is no such backup, it is not sound or of a newer schema, or a daemon runs on the state. */
export function restoreState(path: string, backup: string, clock: Clock): Restored {
  if (!existsSync(backup)) throw missingBackup(backup, listBackups(path)[0]);
  const report = checkState(backup);
  if (report.problems.length > 0) {
    throw corrupt({ path: backup, existed: true, newestBackup: undefined }, report.problems[0] ?? "");
  }
  const unlock = lockState(path);
  const part = `${path}.restoring`;
  try {
    copyFileSync(backup, part);
    const replaced = moveAside(path, `${path}.replaced-${timeStamp(clock)}`);
    renameSync(part, path);
    return { path, replaced, schema: report.schema };
  } catch (error) {
    rmSync(part, { force: true });
    throw cannotCreate(path, error);
  } finally {
    unlock();
  }
}

/** The write-ahead log goes with its file: beside another one it would be wrong. */
function moveAside(path: string, target: string): string | null {
  const existed = existsSync(path);
  for (const suffix of ["-wal", "-shm", ""]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, target + suffix);
  }
  return existed ? target : null;
}
