/**
 * Explains why a state file could not be opened. Each reason has a sentence, a hint and an exit
 * code.
 */
import { errorText } from "../../model/errors.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { sqliteCode } from "../db/sqlite-dialect.ts";
import { writeDenial } from "./write-denial.ts";

export interface OpenContext {
  readonly path: string;
  /** Whether the file existed before the attempt to open it. */
  readonly existed: boolean;
  readonly newestBackup: string | undefined;
  /** Whether the file is itself a backup. `newestBackup` is then another backup. */
  readonly isBackup?: boolean;
}

/** Converts an error that was thrown while a file was opened to an ExitError. */
export function openFailure(error: unknown, context: OpenContext): ExitError {
  if (error instanceof ExitError) return error;
  const code = sqliteCode(error) ?? nodeCode(error) ?? "";
  const { path, existed } = context;
  if (code === "SQLITE_NOTADB") {
    return refuse(
      "STATE_NOT_A_DATABASE",
      `The state file ${path} is not a chirpwatch database.`,
      restoreHint(context),
      error,
    );
  }
  if (code.startsWith("SQLITE_CORRUPT")) return corrupt(context, errorText(error), error);
  if (isDiskFull(error))
    return refuse(
      "STATE_DISK_FULL",
      `The disk that holds ${path} is full.`,
      "Free some space and try again.",
      error,
    );
  if (code.startsWith("SQLITE_BUSY")) {
    return refuse(
      "STATE_BUSY",
      `Another program holds the state file ${path}.`,
      "Close it and start again.",
      error,
    );
  }
  if (!existed) return cannotCreate(path, error);
  if (
    code.startsWith("SQLITE_READONLY") ||
    code.startsWith("SQLITE_CANTOPEN") ||
    ["EACCES", "EPERM", "EROFS"].includes(code)
  ) {
    const hint =
      writeDenial(path) ?? "Give this user read and write permission on the file and its folder.";
    return refuse(
      "STATE_READONLY",
      `The state file ${path} or its folder cannot be written.`,
      hint,
      error,
    );
  }
  return refuse(
    "STATE_UNREADABLE",
    `The state file ${path} cannot be opened: ${errorText(error)}.`,
    restoreHint(context),
    error,
  );
}

/**
 * The error codes of a full disk. SQLite reports `SQLITE_IOERR_SHMSIZE` if there is no room for the
 * shared memory of the write-ahead log, which is on the same disk as the file.
 */
const FULL: ReadonlySet<string> = new Set([
  "SQLITE_FULL",
  "ENOSPC",
  "EDQUOT",
  "SQLITE_IOERR_SHMSIZE",
]);

export const isDiskFull = (error: unknown): boolean =>
  FULL.has(sqliteCode(error) ?? nodeCode(error) ?? "");

/** Returns the error for a damaged file. */
export const corrupt = (context: OpenContext, finding: string, cause?: unknown): ExitError =>
  refuse(
    "STATE_CORRUPT",
    `The state file ${context.path} is damaged (${finding}).`,
    restoreHint(context),
    cause,
  );

/** Returns the error for a database that has tables, but no record of chirpwatch's migrations. */
export const foreign = (context: OpenContext): ExitError =>
  refuse(
    "STATE_NOT_A_DATABASE",
    `The database ${context.path} was not made by chirpwatch.`,
    "Point `state.path` somewhere else.",
  );

export const missing = (context: OpenContext): ExitError =>
  refuse(
    "STATE_MISSING",
    `There is no state file ${context.path}.`,
    `${context.newestBackup === undefined ? "" : `${restoreHint(context)} `}\`chirpwatch run\` creates one, unless \`state.must_exist\` forbids it.`,
  );

/** Returns the error for an empty state file if `state.must_exist` is set. */
export const emptied = (context: OpenContext): ExitError =>
  refuse(
    "STATE_MISSING",
    `The state file ${context.path} is empty.`,
    "Put the state back, or remove `state.must_exist` to start with an empty state.",
  );

export const missingBackup = (backup: string, newestBackup: string | undefined): ExitError =>
  refuse(
    "STATE_MISSING",
    `There is no backup ${backup}.`,
    newestBackup === undefined
      ? "There is none beside the state either."
      : `The newest one is ${newestBackup}.`,
  );

export const cannotCreate = (path: string, cause: unknown): ExitError =>
  new ExitError(
    EXIT.cannotCreate,
    "STATE_CANNOT_CREATE",
    `The state file ${path} cannot be created: ${errorText(cause)}.`,
    {
      hint:
        writeDenial(path) ??
        "Give this user write permission on the folder, or set `state.path` to one it may write.",
      cause,
    },
  );

const refuse = (code: string, message: string, hint: string, cause?: unknown): ExitError =>
  new ExitError(EXIT.storage, code, message, { hint, cause });

function restoreHint({ newestBackup, isBackup }: OpenContext): string {
  if (newestBackup !== undefined)
    return `Restore ${isBackup ? "another" : "the newest"} backup: \`chirpwatch state restore ${newestBackup}\`.`;
  return isBackup
    ? "There is no other backup beside the state."
    : "There is no backup beside it: move the file away to start with an empty state.";
}

const nodeCode = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
};
