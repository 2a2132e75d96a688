/**
 * Finds and reads the files of a configuration: one file, or every YAML file of a folder, sorted by
 * name.
 */
import type { Rule } from "../rules.ts";
import { dirname, join, resolve } from "node:path";
import type { Files } from "../../model/files.ts";
import { isYamlFile } from "../read-log.ts";
import type { SourceFile } from "../tree.ts";
import { MAX_FILE_BYTES } from "./yaml-limits.ts";

export interface ReadFailure {
  readonly file: SourceFile;
  readonly rule: Rule;
  readonly message: string;
}

export interface SourceFiles {
  /** The folder against which relative paths in the files are resolved. */
  readonly folder: string;
  readonly files: readonly SourceFile[];
  readonly failures: readonly ReadFailure[];
}

export async function readSources(path: string, files: Files): Promise<SourceFiles> {
  const isFolder = await files.isDirectory(path);
  const folder = isFolder ? resolve(path) : dirname(resolve(path));
  const paths = isFolder ? await yamlFiles(path, files).catch(readErrorText) : [path];
  if (typeof paths === "string")
    return { folder, files: [], failures: [failure(path, "no-file", paths)] };
  if (paths.length === 0)
    return {
      folder,
      files: [],
      failures: [failure(path, "no-file", "no *.yaml file in this folder")],
    };
  const read = await Promise.all(paths.map((one) => readSource(one, files)));
  return {
    folder,
    files: read.flatMap((one) => ("text" in one ? [one] : [])),
    failures: read.flatMap((one) => ("rule" in one ? [one] : [])),
  };
}

async function yamlFiles(folder: string, files: Files): Promise<readonly string[]> {
  const names = (await files.list(folder)).filter(isYamlFile);
  return [...names].sort().map((name) => join(folder, name));
}

async function readSource(path: string, files: Files): Promise<SourceFile | ReadFailure> {
  try {
    const bytes = await files.size(path);
    if (bytes > MAX_FILE_BYTES) return failure(path, "file-too-big", tooBig(bytes));
    return { shown: path, path: resolve(path), text: await files.readText(path) };
  } catch (error) {
    const text = readErrorText(error);
    return failure(
      path,
      "no-file",
      text === NO_SUCH_FILE ? `${text}: \`chirpwatch init slack\` writes a small one` : text,
    );
  }
}

/** The maximum size of a file with a secret, in bytes. */
const MAX_SECRET_BYTES = 65_536;

/**
 * Returns the trimmed text of a file with a secret. @throws if the file cannot be read or is too
 * large
 */
export async function readSecretText(
  files: Pick<Files, "readText" | "size">,
  path: string,
): Promise<string> {
  if ((await files.size(path)) > MAX_SECRET_BYTES)
    throw Object.assign(new Error("more than 64 KB"), { code: "EFBIG" });
  return (await files.readText(path)).trim();
}

const tooBig = (bytes: number): string =>
  `the file is ${(bytes / 1_048_576).toFixed(1)} MB, more than the 1 MB allowed: split it and load the folder`;

const failure = (path: string, rule: Rule, message: string): ReadFailure => ({
  file: { shown: path, path: resolve(path), text: "" },
  rule,
  message,
});

const NO_SUCH_FILE = "there is no such file";

/** Returns why a file could not be read, as a sentence. */
export function readErrorText(error: unknown): string {
  const { code, denial } = (error ?? {}) as { readonly code?: unknown; readonly denial?: string };
  if (code === "ENOENT" || code === "ENOTDIR") return NO_SUCH_FILE;
  if (code === "EACCES" || code === "EPERM")
    return `this user may not read the file: ${denial ?? "check its owner and mode"}`;
  if (code === "EFTYPE" || code === "ENXIO")
    return "this is a pipe, a socket or a device, not a regular file";
  if (code === "EISDIR") return "this is a folder, not a file";
  if (code === "EFBIG") return "the file is larger than the 64 KB allowed for a secret";
  return `the file cannot be read (${error instanceof Error ? error.message : String(error)})`;
}
