/** Whether a state file is sound: now, beside the daemon, or in the background of a large one. */
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
  /** Empty when the file is sound. */
  readonly problems: readonly string[];
  /** `0001`. */
  readonly schema: string;
  readonly bytes: number;
  /** Newest first. */
  readonly backups: readonly string[];
  /** State, log, backups and their folder, where others than their owner may read or write them. */
  readonly wide: readonly WideMode[];
}

/**
 * `state check`: reads only, also beside a running daemon. @throws ExitError when the file cannot
 * be opened at all.
 */
export function checkState(path: string): StateReport {
  const backups = listBackups(path);
  const context = { path, existed: existsSync(path), newestBackup: backups[0] };
  if (!context.existed) throw missing(context);
  // Before it is opened: that may give the log the mode of the state again.
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
 * Whether it is a state that this build can read, and what is wrong with it. @throws ExitError when
 * it is none; `context` gives its name.
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
  /** What was found; empty when sound, or when it was stopped. */
  readonly problems: Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Plain JavaScript, evaluated: the same from sources and from the build. */
const WORKER = `
const { workerData, parentPort } = require("node:worker_threads");
const Database = require(workerData.driver);
const handle = new Database(workerData.path, { readonly: true, fileMustExist: true });
const rows = handle.prepare("pragma quick_check(10)").pluck().all();
handle.close();
parentPort.postMessage(rows.length === 1 && rows[0] === "ok" ? [] : rows);
`;

/** Checks on a thread of its own: a large file takes seconds, and polling must not wait for it. */
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
