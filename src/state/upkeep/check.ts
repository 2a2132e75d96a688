/**
 * Checks whether a state file is sound: for `state check`, even while a daemon runs, and for a
 * daemon that starts with a large file, on a thread in the background.
 */
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { listBackups } from "./backup.ts";
import { pendingMigrations, migratedState, schemaNumber } from "../migrations/migrate.ts";
import { driverPath } from "../db/driver.ts";
import { foreign, missing, type OpenContext, openFailure } from "../files/open-failures.ts";
import { findWideModes, type WideMode } from "../db/private-files.ts";
import { appliedMigrations, openHandle, quickCheck, type SqliteHandle } from "../db/sqlite.ts";

export interface StateReport {
  readonly path: string;
  /** Empty if the file is sound. */
  readonly problems: readonly string[];
  /** The number of the schema, such as `0001`. */
  readonly schema: string;
  readonly bytes: number;
  /** The backups, newest first. */
  readonly backups: readonly string[];
  /**
   * The state file, its log, its backups and their folder, each only if a user other than the owner
   * may read or write it.
   */
  readonly wide: readonly WideMode[];
}

/**
 * Runs `state check`, which only reads, even while a daemon runs. @throws ExitError if the file
 * cannot be opened at all
 */
export function checkState(path: string): StateReport {
  const backups = listBackups(path);
  const context = { path, existed: existsSync(path), newestBackup: backups[0] };
  if (!context.existed) throw missing(context);
  // This comes before the file is opened, because opening may give the log the mode of the state.
  const wide = findWideModes([dirname(path), path, `${path}-wal`, `${path}-shm`, ...backups]);
  let handle: SqliteHandle | undefined;
  try {
    handle = openHandle(path, { readonly: true, mustExist: true });
    return { path, ...examine(handle, context), bytes: statSync(path).size, backups, wide };
  } catch (error) {
    throw openFailure(error, context);
  } finally {
    handle?.close();
  }
}

/**
 * Checks a state file, and returns what is wrong with it. @throws ExitError if the file is no state
 * that this build can read; `context` has the name for the message
 */
export function examine(
  handle: SqliteHandle,
  context: OpenContext,
): Pick<StateReport, "problems" | "schema"> {
  const applied = appliedMigrations(handle);
  if (applied === undefined) throw foreign(context);
  pendingMigrations(applied, migratedState.file(context.path));
  return { problems: quickCheck(handle), schema: schemaNumber(applied) };
}

export interface BackgroundCheck {
  /** The problems that were found; empty if the file is sound or the check was stopped. */
  readonly problems: Promise<readonly string[]>;
  stop(): Promise<void>;
}

/**
 * The worker's code is evaluated as plain JavaScript, so that it works from sources and from the
 * build.
 */
const WORKER = `
const { workerData, parentPort } = require("node:worker_threads");
const Database = require(workerData.driver);
const handle = new Database(workerData.path, { readonly: true, fileMustExist: true });
const rows = handle.prepare("pragma quick_check(10)").pluck().all();
handle.close();
parentPort.postMessage(rows.length === 1 && rows[0] === "ok" ? [] : rows);
`;

/**
 * Checks a file in a thread of its own, because a large file takes seconds and polling must not
 * wait for it.
 */
export function checkInBackground(path: string): BackgroundCheck {
  const worker = new Worker(WORKER, { eval: true, workerData: { driver: driverPath(), path } });
  worker.unref();
  const problems = new Promise<readonly string[]>((resolve) => {
    worker.once("message", resolve);
    worker.once("error", (error) => resolve([error.message]));
    worker.once("exit", () => resolve([]));
  });
  return {
    problems,
    async stop() {
      await worker.terminate();
    },
  };
}
