/**
 * Records every access to files while a configuration is loaded, with a hash of its result. A
 * reload repeats them and compares the hashes, which shows at little cost whether anything changed.
 * A hash of the texts identifies the configuration.
 */
import { errorText } from "../model/errors.ts";
import type { Files } from "../model/files.ts";
import { sha256 } from "../runtime/hash.ts";

type Operation = "readText" | "list" | "exists" | "isDirectory";

export interface ReadMark {
  readonly operation: Operation;
  readonly path: string;
  readonly print: string;
}

/**
 * Whether a file in a folder is part of the configuration. Only YAML files are, because the daemon
 * keeps its own data in such folders, too.
 */
export const isYamlFile = (name: string): boolean => /^[^.].*\.ya?ml$/i.test(name);

const withYamlOnly = (files: Files): Files => ({
  ...files,
  list: async (folder) => (await files.list(folder)).filter(isYamlFile),
});

/**
 * Wraps access to files so that every read is recorded and a folder lists only its YAML files.
 * `marks` returns the recorded reads, sorted by path.
 */
export function recordReads(all: Files): { readonly files: Files; marks(): readonly ReadMark[] } {
  const files = withYamlOnly(all);
  const marks = new Map<string, ReadMark>();
  const noting =
    <T>(operation: Operation, read: (path: string) => Promise<T>) =>
    async (path: string): Promise<T> => {
      const reading = read(path);
      marks.set(`${operation} ${path}`, { operation, path, print: await printOf(reading) });
      return reading;
    };
  return {
    files: {
      ...files,
      readText: noting("readText", files.readText),
      list: noting("list", files.list),
      exists: noting("exists", files.exists),
      isDirectory: noting("isDirectory", files.isDirectory),
    },
    marks: () =>
      [...marks.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
  };
}

/** Returns whether all recorded reads would give the same results now. */
export async function isUnchanged(marks: readonly ReadMark[], files: Files): Promise<boolean> {
  const prints = await Promise.all(
    marks.map(({ operation, path }) => printOf(withYamlOnly(files)[operation](path))),
  );
  return prints.every((print, index) => print === marks[index]?.print);
}

/**
 * Returns a hash of the texts that were read. Paths do not count, so that the same files in another
 * folder are the same configuration.
 */
export const configHash = (marks: readonly ReadMark[]): string =>
  sha256(
    marks.flatMap(({ operation, print }) => (operation === "readText" ? [print] : [])).join("\n"),
  );

/** Returns a hash of a result. A failure is a result, too. */
const printOf = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    (value) => sha256(JSON.stringify(value)),
    (error: unknown) => `failed: ${errorText(error)}`,
  );
