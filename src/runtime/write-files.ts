/**
 * Writes what commands may put on the disk: new files, lines at the end of a file, and temporary
 * folders.
 */
import { appendFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorText } from "../model/errors.ts";
import { EXIT, ExitError } from "../model/exit-code.ts";
import type { Environment } from "../model/files.ts";

/**
 * Writes a file. Replaces an existing one only with `overwrite`. @throws an Error with `code`
 * EEXIST, EACCES … as Node does
 */
export const writeTextFile = (
  path: string,
  text: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> => writeFile(path, text, { flag: overwrite ? "w" : "wx" });

/**
 * Creates a folder and its parents if they do not exist. @throws an Error with `code` EACCES … as
 * Node does
 */
export const makeFolder = async (path: string): Promise<void> =>
  void (await mkdir(path, { recursive: true }));

/**
 * Appends to a file, which is created if it does not exist. When the function returns, the text is
 * on the disk. @throws an Error with `code` EACCES … as Node does
 */
export const appendToFile = (path: string, text: string): void =>
  appendFileSync(path, text, { flush: true });

export interface TemporaryFolder {
  readonly path: string;
  /** Removes the folder with everything in it. */
  remove(): Promise<void>;
}

/** On Linux, files in this folder are in memory, so that writes do not wait for a disk. */
const MEMORY_FOLDER = "/dev/shm";

/**
 * Creates a private folder: in memory if the system supports that, unless TMPDIR names another
 * place. @throws ExitError TEMPORARY_FOLDER, with exit code 73
 */
export async function makeTemporaryFolder(
  prefix: string,
  env: Environment,
): Promise<TemporaryFolder> {
  const named = env["TMPDIR"] ?? "";
  const inMemory =
    named === "" ? await mkdtemp(join(MEMORY_FOLDER, prefix)).catch(() => undefined) : undefined;
  const path = inMemory ?? (await makeFolderIn(named || tmpdir(), prefix));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

const makeFolderIn = (within: string, prefix: string): Promise<string> =>
  mkdtemp(join(within, prefix)).catch((cause: unknown) => {
    throw new ExitError(
      EXIT.cannotCreate,
      "TEMPORARY_FOLDER",
      `cannot make a folder in ${within}: ${errorText(cause)}`,
      {
        hint: "Set TMPDIR to a folder that this user may write to.",
        cause,
      },
    );
  });

/**
 * Writes a new file that only this user can read. @throws an Error with `code` ENOENT, EEXIST,
 * EACCES … as Node does
 */
export const writeSecretFile = (path: string, text: string): Promise<void> =>
  writeFile(path, text, { flag: "wx", mode: 0o600 });
