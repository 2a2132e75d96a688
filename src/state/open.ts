/**
 * Opens the state: folder and file, lock, settings, check, migrations, in this order; and closes
 * it. What a Store does is store.ts.
 */
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import { EXIT, ExitError } from "../model/exit-code.ts";
import type { Log } from "../model/log.ts";
import type { Membership, ReplicaState } from "../model/replicas.ts";
import type { Random } from "../model/random.ts";
import { NO_SIGNALS, type Signals } from "../model/signals.ts";
import type { Store } from "../model/store.ts";
import { type Backup, backupHandle, listBackups } from "./upkeep/backup.ts";
import { type BackgroundCheck, checkInBackground } from "./upkeep/check.ts";
import { lockState } from "./files/lock.ts";
import { MIGRATIONS, migrate, pendingMigrations, migratedState } from "./migrations/migrate.ts";
import { markClean, wasClean } from "./upkeep/notes.ts";
import {
  cannotCreate,
  corrupt,
  emptied,
  foreign,
  missing,
  type OpenContext,
  openFailure,
} from "./files/open-failures.ts";
import { makePrivateFolders } from "./db/private-files.ts";
import { quieten, type QuietSpan } from "./polls/quieten.ts";
import { findInconsistencies } from "./upkeep/inconsistencies.ts";
import {
  appliedMigrations,
  checkpoint,
  configure,
  kyselyOver,
  openHandle,
  quickCheck,
  type SqliteHandle,
  waitByClock,
} from "./db/sqlite.ts";
import type { Executor } from "./db/statement.ts";
import type { Standby } from "./membership/standby.ts";
import { createTransfer, refuseHalfTransferred, type Transfer } from "./upkeep/transfer.ts";
import { createStore } from "./store.ts";

/** Up to this size a check costs no more than a blink at every start. */
const ALWAYS_CHECKED_BYTES = 64 * 1_024 * 1_024;

export interface OpenOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Refuses to create the file. */
  readonly mustExist?: boolean;
  /** Reads only: no lock, no migration; works beside a running daemon. */
  readonly readonly?: boolean;
  /**
   * For commands that write beside a running daemon: takes the lock only to bring the file up, and
   * only if it is free.
   */
  readonly shared?: boolean;
  /**
   * For a command that changes the state where no daemon runs: holds the lock until it is closed.
   */
  readonly changing?: boolean;
  /** Of a state on Postgres: waits while another daemon is active, where it would be refused. */
  readonly standby?: Standby;
  /** The schema's history; the product's own unless said otherwise. */
  readonly migrations?: typeof MIGRATIONS;
  /** Opens also what a transfer did not complete: to go on with it. */
  readonly halfTransferred?: boolean;
}

export interface OpenedStore extends Store {
  /** The file, or the address without its secrets. */
  readonly path: string;
  /** True when there was no state file before. */
  readonly created: boolean;
  /** True when the last process did not close the state. */
  readonly unclean: boolean;
  /**
   * What the check of a large file found; settled at once for a small one, which was checked
   * before.
   */
  readonly problems: Promise<readonly string[]>;
  backup(): Promise<Backup>;
  readonly transfer: Transfer;
  /**
   * Of a daemon among those that share the state; undefined where none can: the state is a file, or
   * a command opened it.
   */
  readonly membership: Membership | undefined;
  /** Between the processes that share the state. */
  readonly signals: Signals;
  /**
   * The daemons on the state that have a session now: for a command. None where the state is a
   * file.
   */
  connectedReplicas(): Promise<readonly ReplicaState[]>;
  /** After a restore; how many alerts that waited are muted. */
  quieten(span: QuietSpan): Promise<number>;
  /** Where its tables contradict each other: one sentence each. Reads all of them. */
  inconsistencies(): Promise<readonly string[]>;
  /** On disk, the write-ahead log included. */
  sizeBytes(): number;
}

/** @throws ExitError with one sentence, its cure and the exit code. */
export async function openStore(options: OpenOptions): Promise<OpenedStore> {
  const { path } = options;
  const context: OpenContext = {
    path,
    existed: existsSync(path),
    newestBackup: listBackups(path)[0],
  };
  if (!context.existed && (options.mustExist === true || options.readonly === true))
    throw missing(context);
  const teardown: (() => void)[] = [];
  try {
    if (!context.existed) createFolder(path);
    const unlock = takeLock(options);
    if (unlock !== undefined) teardown.push(unlock);
    const handle = openHandle(path, {
      readonly: options.readonly === true,
      mustExist: context.existed,
    });
    teardown.push(() => handle.close());
    const opened = await bringUp(handle, options, context, unlock !== undefined);
    if (options.shared === true) unlock?.();
    return compose(opened, options, context, unlock);
  } catch (error) {
    for (const undo of teardown.reverse()) undo();
    throw openFailure(error, context);
  }
}

/** Whether a command opens it, which works on the state for moments. */
const isVisit = ({ shared, changing }: OpenOptions): boolean =>
  shared === true || changing === true;

function createFolder(path: string): void {
  try {
    makePrivateFolders(dirname(path));
  } catch (error) {
    throw cannotCreate(path, error);
  }
}

function takeLock(options: OpenOptions): (() => void) | undefined {
  if (options.readonly === true) return undefined;
  try {
    return lockState(options.path);
  } catch (error) {
    if (options.shared === true && error instanceof ExitError && error.code === "STATE_LOCKED")
      return undefined;
    throw error;
  }
}

interface BroughtUp {
  readonly handle: SqliteHandle;
  readonly db: Executor;
  readonly unclean: boolean;
  readonly check: BackgroundCheck | undefined;
  /** There was no state, or an empty file. */
  readonly isCreated: boolean;
}

async function bringUp(
  handle: SqliteHandle,
  options: OpenOptions,
  context: OpenContext,
  isOwner: boolean,
): Promise<BroughtUp> {
  const applied = appliedMigrations(handle);
  if (applied === undefined) throw foreign(context);
  const isEmpty = applied.length === 0;
  // Before the settings write to it.
  if (isOwner && context.existed && isEmpty) refuseEmptied(context, options);
  configure(handle);
  const pending = pendingMigrations(applied, migratedState.file(context.path), options.migrations);
  const db = kyselyOver(handle, options.clock);
  if (!isOwner) {
    if (pending.length > 0) throw needsMigration(context.path, pending);
    return { handle, db, unclean: false, check: undefined, isCreated: false };
  }
  const unclean = !isEmpty && !(await wasClean(db));
  const check = isEmpty ? undefined : checkFile(handle, context, unclean);
  if (pending.length > 0) await migrateSafely(handle, db, options, isEmpty);
  if (options.halfTransferred !== true) await refuseHalfTransferred(db, context.path);
  // A command beside the daemon comes and goes: it does not answer for how the file is left.
  await markClean(db, isVisit(options) && !unclean);
  checkpoint(handle);
  return { handle, db, unclean, check, isCreated: isEmpty };
}

/** A state was there. */
function refuseEmptied(context: OpenContext, { mustExist }: OpenOptions): void {
  if (context.newestBackup !== undefined) throw corrupt(context, "it is empty");
  if (mustExist === true) throw emptied(context);
}

/**
 * Before anything is written. After an unclean stop, or when it costs little: now; else in the
 * background.
 */
function checkFile(
  handle: SqliteHandle,
  context: OpenContext,
  unclean: boolean,
): BackgroundCheck | undefined {
  if (!unclean && statSync(context.path).size >= ALWAYS_CHECKED_BYTES)
    return checkInBackground(context.path);
  const problems = quickCheck(handle);
  if (problems.length > 0) throw corrupt(context, problems[0] ?? "quick_check failed");
  return undefined;
}

async function migrateSafely(
  handle: SqliteHandle,
  db: Executor,
  options: OpenOptions,
  isEmpty: boolean,
): Promise<void> {
  const backup = isEmpty ? undefined : await backupHandle(handle, options.path, options.clock);
  if (backup !== undefined)
    options.log.info("state backed up before migrating", { backup: backup.path });
  try {
    await migrate(db, options.migrations);
  } catch (error) {
    throw new ExitError(
      EXIT.storage,
      "STATE_MIGRATION_FAILED",
      `The state file ${options.path} could not be migrated: ${errorText(error).replace(/\.$/, "")}.`,
      {
        hint: `Nothing was changed: the former version still starts.${backup === undefined ? "" : ` A backup is at ${backup.path}.`}`,
        cause: error,
      },
    );
  }
}

const needsMigration = (path: string, pending: readonly string[]): ExitError =>
  new ExitError(
    EXIT.storage,
    "STATE_OLDER_SCHEMA",
    `The state file ${path} lacks ${pending.join(", ")} of this build.`,
    {
      hint: "Start this version's `chirpwatch run` once: it migrates the file.",
    },
  );

function compose(
  { handle, db, unclean, check, isCreated }: BroughtUp,
  options: OpenOptions,
  context: OpenContext,
  unlock: (() => void) | undefined,
): OpenedStore {
  const { path, clock, random, log } = options;
  announce(log, context, { unclean, isCreated });
  waitByClock(handle);
  const close = once(async () => {
    await check?.stop();
    if (unlock !== undefined && !isVisit(options)) await leaveClean(handle, db, log);
    await db.destroy();
    if (options.shared !== true) unlock?.();
  });
  const problems = check?.problems ?? Promise.resolve([]);
  void problems.then((found) => {
    if (found.length > 0)
      log.error("state file is damaged", { path, found, newestBackup: context.newestBackup });
  });
  return {
    ...createStore(db, { clock, random }, close),
    path,
    created: isCreated,
    unclean,
    problems,
    backup: () => backupHandle(handle, path, clock),
    transfer: createTransfer(db),
    membership: undefined,
    signals: NO_SIGNALS,
    connectedReplicas: async () => [],
    quieten: (span) => quieten(db, span),
    inconsistencies: () => findInconsistencies(db),
    sizeBytes: () =>
      [path, `${path}-wal`].reduce(
        (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
        0,
      ),
  };
}

function announce(
  log: Log,
  context: OpenContext,
  { unclean, isCreated }: Pick<BroughtUp, "unclean" | "isCreated">,
): void {
  const { path, existed, newestBackup } = context;
  if (!existed && newestBackup !== undefined)
    log.warn("state file created although backups of another exist", { path, newestBackup });
  else if (!existed) log.info("state file created", { path });
  else if (isCreated) log.warn("state file was empty: a new state is created in it", { path });
  if (unclean) log.warn("state was not closed by the last process; checked and sound", { path });
}

async function leaveClean(handle: SqliteHandle, db: Executor, log: Log): Promise<void> {
  try {
    await markClean(db, true);
    checkpoint(handle);
  } catch (error) {
    log.warn("state could not be marked as closed; the next start checks it", {
      error: errorText(error),
    });
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
