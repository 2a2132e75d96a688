/**
 * Creates files and folders that only this user can read, whatever the umask is, and finds files
 * and folders that others can read. SQLite gives its log and shared memory the mode of the database
 * next to them.
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
 * Creates every missing folder of a path, one by one, because Node's own `recursive` option never
 * returns if no folder can be created, as in /proc. @throws what Node throws
 */
export function makePrivateFolders(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makePrivateFolders(dirname(path));
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    // Another process has created the folder in the meantime.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  chmodSync(path, FOLDER_MODE);
}

/** Creates an empty file for SQLite to fill, unless the file exists. @throws what Node throws */
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

/** Makes a copied file private, because a copy gets the mode of its original. */
export const makePrivate = (path: string): void => chmodSync(path, FILE_MODE);

export interface WideMode {
  readonly path: string;
  /** The mode in octal, such as `0644`. */
  readonly mode: string;
  /** The mode that the file or folder should have, such as `0600`. */
  readonly wanted: string;
}

/**
 * Returns the given files and folders that a user other than the owner may read, write or enter.
 * Missing ones are left out.
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
