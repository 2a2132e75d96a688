/** Writes new files, but none of them if one exists already with another text. */
import { basename, dirname } from "node:path";
import { errorText } from "../../model/errors.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Files } from "../../model/files.ts";
import { makeFolder, writeTextFile } from "../../runtime/write-files.ts";
import { writeDenial } from "../../state/files/write-denial.ts";

export interface NewFile {
  /** The absolute path. */
  readonly path: string;
  readonly text: string;
}

/**
 * Writes the files. A file that already holds exactly this text is left as it is. `folder` is
 * created if it is missing. @throws ExitError with exit code 73 if a file exists with another text
 * or cannot be written
 */
export async function writeNewFiles(
  files: Files,
  wanted: readonly NewFile[],
  folder?: string,
): Promise<void> {
  const states = await Promise.all(
    wanted.map(async (file) => ({ file, state: await stateOf(files, file) })),
  );
  const inTheWay = states
    .filter(({ state }) => state === "differs")
    .map(({ file }) => basename(file.path));
  if (inTheWay.length > 0)
    throw cannot(
      `${inTheWay.join(" and ")} already ${inTheWay.length === 1 ? "exists" : "exist"}: nothing was written`,
      {
        hint: "write to another folder, or move the existing files away first",
      },
    );
  if (folder !== undefined) await tryTo(folder, () => makeFolder(folder));
  for (const { file, state } of states)
    if (state === "missing")
      await tryTo(file.path, () => writeTextFile(file.path, file.text, { overwrite: false }));
}

async function stateOf(
  files: Files,
  { path, text }: NewFile,
): Promise<"missing" | "same" | "differs"> {
  if (!(await files.exists(path))) return "missing";
  const found = await files.readText(path).catch(() => undefined);
  return found === text ? "same" : "differs";
}

async function tryTo(path: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    throw cannot(`cannot write ${path}: ${reasonOf(cause)}`, { hint: cureOf(path, cause), cause });
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;

function reasonOf(error: unknown): string {
  if (codeOf(error) === "ENOENT") return "its folder does not exist";
  if (codeOf(error) === "EACCES" || codeOf(error) === "EPERM")
    return "this user may not write there";
  if (codeOf(error) === "EROFS") return "that file system is read-only";
  return errorText(error);
}

const cureOf = (path: string, error: unknown): string =>
  codeOf(error) === "ENOENT"
    ? `make the folder first: mkdir -p ${dirname(path)}`
    : (writeDenial(path) ?? "choose a folder that exists and that you may write to");

const cannot = (
  message: string,
  options: { readonly hint: string; readonly cause?: unknown },
): ExitError => new ExitError(EXIT.cannotCreate, "INIT_CANNOT_WRITE", message, options);
