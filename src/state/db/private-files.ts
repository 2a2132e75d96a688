/**
 * Files and folders that only this user reads, whatever the umask says: made so from their first
 * moment, and found where they are not. SQLite gives the log and the shared memory beside a
 * database the mode of the database.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * Makes every folder of a path that is missing. @throws as Node does; also where no folder can be,
 * as in /proc, where Node's own `recursive` never returns.
 */
export function makePrivateFolders(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makePrivateFolders(dirname(path));
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    // Someone else made it a moment ago.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  chmodSync(path, FOLDER_MODE);
}

/** An empty file, for SQLite to fill; one that is there stays as it is. @throws as Node does */
export function makePrivateFile(path: string): void {
  let file: number;
  try {
    file = openSync(path, "wx", FILE_MODE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  fchmodSync(file, FILE_MODE);
  closeSync(file);
}

/** For a copy, which takes over the mode of what it was made from. */
export const makePrivate = (path: string): void => chmodSync(path, FILE_MODE);

export interface WideMode {
  readonly path: string;
  /** `0644`. */
  readonly mode: string;
  /** `0600`. */
  readonly wanted: string;
}

/**
 * Those of these files and folders that others than their owner may read or write; what is not
 * there is left out.
 */
export function findWideModes(paths: readonly string[]): readonly WideMode[] {
  return paths.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || (found.mode & 0o077) === 0) return [];
    return [
      {
        path,
        mode: octal(found.mode & 0o777),
        wanted: octal(found.isDirectory() ? FOLDER_MODE : FILE_MODE),
      },
    ];
  });
}

const octal = (mode: number): string => `0${mode.toString(8).padStart(3, "0")}`;
