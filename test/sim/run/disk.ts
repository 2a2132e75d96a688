/**
 * The disk of a simulated daemon: real SQLite files behind a driver that is observed from outside.
 * Owns what a killed process leaves on the disk (an open transaction is gone, the write-ahead log
 * stays), failing writes, and the moments before and after a commit.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import {
  loadDriver,
  type SqliteHandle,
  type SqliteStatement,
} from "../../../src/state/db/driver.ts";

/** The failures of a write to the state, by SQLite's error codes. */
export type DiskFault = "SQLITE_FULL" | "SQLITE_BUSY" | "SQLITE_READONLY";

export interface Disk {
  /**
   * Called before and after every commit of the running process; what it throws ends the statement.
   */
  onCommit: ((moment: "commit" | "committed") => void) | undefined;
  fault: DiskFault | undefined;
  /** Ends the process that has files open here, at this very moment. */
  kill(): void;
  /** Leaves the disk: no simulation uses it any more. */
  leave(): void;
}

interface Watched extends Disk {
  readonly folder: string;
  readonly handles: Set<SqliteHandle>;
}

let current: Watched | undefined;

/** Returns the disk of the simulation that begins now. The previous simulation is over. */
export function useDisk(folder: string): Disk {
  watchDriver();
  const leave = () => {
    current = undefined;
  };
  const disk: Watched = {
    folder,
    handles: new Set(),
    onCommit: undefined,
    fault: undefined,
    kill: () => kill(disk),
    leave,
  };
  current = disk;
  return disk;
}

/**
 * Kills the process. Closing a database would clean up its log, which nobody does for a killed
 * process, so the files are put back as they were.
 */
function kill({ handles }: Watched): void {
  const open = [...handles].filter((handle) => handle.open);
  const files = open
    .flatMap(({ name }) => [name, `${name}-wal`])
    .filter((path) => existsSync(path));
  const left = files.map((path) => ({ path, bytes: readFileSync(path) }));
  for (const handle of open) handle.close();
  for (const { name } of open) rmSync(`${name}-shm`, { force: true });
  for (const { path, bytes } of left) writeFileSync(path, bytes);
  handles.clear();
}

let isWatched = false;

/**
 * Intercepts SQLite's driver. It is the only thing that the daemon opens without a port, so its
 * prototype is patched.
 */
function watchDriver(): void {
  if (isWatched) return;
  isWatched = true;
  const driver = loadDriver().prototype as unknown as Record<
    "prepare" | "exec" | "pragma",
    (this: SqliteHandle, sql: string) => unknown
  >;
  const { prepare, exec, pragma } = driver;
  const note = (handle: SqliteHandle) => {
    if (current !== undefined && handle.name.startsWith(current.folder))
      current.handles.add(handle);
  };
  driver.exec = function (sql) {
    note(this);
    return exec.call(this, sql);
  };
  driver.pragma = function (...args) {
    note(this);
    return pragma.apply(this, args);
  };
  driver.prepare = function (sql) {
    note(this);
    const statement = prepare.call(this, sql) as SqliteStatement;
    return isWrite(sql) ? watchWrites(this, statement, sql) : statement;
  };
}

const isWrite = (sql: string): boolean => /^\s*(?:begin|commit|insert|update|delete)\b/i.test(sql);

function watchWrites(
  handle: SqliteHandle,
  statement: SqliteStatement,
  sql: string,
): SqliteStatement {
  const isCommit = /^\s*commit\b/i.test(sql);
  const isBegin = /^\s*begin\b/i.test(sql);
  const around = <T>(run: () => T): T => {
    const disk = current;
    if (disk === undefined || !disk.handles.has(handle)) return run();
    if (disk.fault !== undefined && (isCommit || isBegin || !handle.inTransaction))
      refuse(handle, disk.fault, isCommit);
    const isCommitted = isCommit || (!isBegin && !handle.inTransaction);
    if (isCommitted) disk.onCommit?.("commit");
    const result = run();
    if (isCommitted) disk.onCommit?.("committed");
    return result;
  };
  const { run, all } = statement;
  return Object.assign(statement, {
    run: (...args: unknown[]) => around(() => run.apply(statement, args)),
    all: (...args: unknown[]) => around(() => all.apply(statement, args)),
  });
}

/** Fails as SQLite does: a commit that does not fit on the disk is rolled back. */
function refuse(handle: SqliteHandle, code: DiskFault, isCommit: boolean): never {
  if (isCommit && code === "SQLITE_FULL") handle.exec("rollback");
  throw new (loadDriver().SqliteError)(`simulated ${code}`, code);
}
