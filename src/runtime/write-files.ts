/**
 * What commands may put on the disk: a file that was not there, lines at the end of one, and a
 * folder that goes away again.
 */
import { appendFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorText } from "../model/errors.ts";
import { EXIT, ExitError } from "../model/exit-code.ts";
import type { Environment } from "../model/files.ts";

/**
 * Replaces a file only when asked to. @throws an Error with `code` EEXIST, EACCES … as Node does.
 */
export const writeTextFile = (
  path: string,
  text: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> => writeFile(path, text, { flag: overwrite ? "w" : "wx" });

/**
 * Makes a folder, and those above it, unless it is there. @throws an Error with `code` EACCES … as
 * Node does.
 */
export const makeFolder = async (path: string): Promise<void> =>
  void (await mkdir(path, { recursive: true }));

/**
 * Adds to a file, and makes it when there is none; on the disk when it returns. @throws an Error
 * with `code` EACCES … as Node does.
 */
export const appendToFile = (path: string, text: string): void =>
  appendFileSync(path, text, { flush: true });

export interface TemporaryFolder {
  readonly path: string;
  /** With everything in it. */
  remove(): Promise<void>;
}

/** Files here are in memory on Linux, where a write waits for no disk. */
const MEMORY_FOLDER = "/dev/shm";

/**
 * A fresh private folder in memory where the system has such a place, unless TMPDIR names another.
 * @throws ExitError 73
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
 * A file that only this user reads. @throws an Error with `code` ENOENT, EEXIST, EACCES … as Node
 * does.
 */
export const writeSecretFile = (path: string, text: string): Promise<void> =>
  writeFile(path, text, { flag: "wx", mode: 0o600 });
