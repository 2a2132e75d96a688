/**
 * Opens and closes a state file: creates the folder, takes the lock, opens the file, applies the
 * settings, checks and migrates, in this order. `store.ts` has the operations.
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
import { createNewest } from "./migrations/create-newest.ts";
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

/** A file of up to this size is checked at every start, because the check takes hardly any time. */
const ALWAYS_CHECKED_BYTES = 64 * 1_024 * 1_024;

export interface OpenOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Whether opening fails if there is no state yet, instead of creating one. */
  readonly mustExist?: boolean;
  /** Opens for reading only, without a lock or a migration, even while a daemon runs. */
  readonly readonly?: boolean;
  /**
   * For commands that write while a daemon may run: takes the lock only for the migration, and only
   * if it is free.
   */
  readonly shared?: boolean;
  /**
   * For a command that changes the state while no daemon runs: holds the lock until the state is
   * closed.
   */
  readonly changing?: boolean;
  /**
   * For a state on Postgres: lets the daemon wait until it can join the replicas, instead of being
   * refused.
   */
  readonly standby?: Standby;
  /** The migrations of the schema; the product's own by default. */
  readonly migrations?: typeof MIGRATIONS;
  /** Opens even a state whose transfer is incomplete, in order to continue the transfer. */
  readonly halfTransferred?: boolean;
}

export interface OpenedStore extends Store {
  /** The file, or the address without its secrets. */
  readonly path: string;
  /** Whether there was no state before. */
  readonly created: boolean;
  /** Whether the last process did not close the state. */
  readonly unclean: boolean;
  /**
   * The problems that the check of a large file found. Resolves at once for a small file, which is
   * checked before it is used.
   */
  readonly problems: Promise<readonly string[]>;
  backup(): Promise<Backup>;
  readonly transfer: Transfer;
  /**
   * The daemon's membership among the replicas; undefined if the state is a file, or if a command
   * opened it.
   */
  readonly membership: Membership | undefined;
  /** Signals between the processes that share the state. */
  readonly signals: Signals;
  /**
   * Returns the daemons that have a session on the state now, for commands; none if the state is a
   * file.
   */
  connectedReplicas(): Promise<readonly ReplicaState[]>;
  /** Mutes the alerts that wait, after a restore. Resolves to their number. */
  quieten(span: QuietSpan): Promise<number>;
  /** Finds contradictions between the tables, with one sentence for each. Reads all tables. */
  inconsistencies(): Promise<readonly string[]>;
  /** Returns the size on disk, including the write-ahead log. */
  sizeBytes(): number;
}

/** Opens the state file. @throws ExitError with a sentence, a hint and the exit code */
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

/** Whether a command opens the state, and not a daemon. */
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
  /** Whether there was no state before, or an empty file. */
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
  // This check comes before the settings, because they write to the file.
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
  // The file is marked as unclean while a daemon uses it. A command leaves the mark as the last
  // daemon left it.
  await markClean(db, isVisit(options) && !unclean);
  checkpoint(handle);
  return { handle, db, unclean, check, isCreated: isEmpty };
}

/** Refuses an empty file if a backup or `state.must_exist` shows that there was a state before. */
function refuseEmptied(context: OpenContext, { mustExist }: OpenOptions): void {
  if (context.newestBackup !== undefined) throw corrupt(context, "it is empty");
  if (mustExist === true) throw emptied(context);
}

/**
 * Checks the file before anything is written: at once after an unclean stop or if the file is
 * small, otherwise in the background.
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
    if (isEmpty && (options.migrations ?? MIGRATIONS) === MIGRATIONS)
      createNewest(handle, options.clock);
    else await migrate(db, options.migrations);
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
