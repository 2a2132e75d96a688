/**
 * What a configuration was read from: every text, listing and test of existence, by a hash of what
 * came back. Read again, it shows at little cost whether a reload has anything to do; its own hash
 * names the configuration.
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

/** Of a folder only these count: the daemon keeps data of its own there. */
export const isYamlFile = (name: string): boolean => /^[^.].*\.ya?ml$/i.test(name);

const withYamlOnly = (files: Files): Files => ({
  ...files,
  list: async (folder) => (await files.list(folder)).filter(isYamlFile),
});

/** The same files, of a folder the YAML files alone, and what was read of them so far. */
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

/** Whether all that was read would come back the same now. */
export async function isUnchanged(marks: readonly ReadMark[], files: Files): Promise<boolean> {
  const prints = await Promise.all(
    marks.map(({ operation, path }) => printOf(withYamlOnly(files)[operation](path))),
  );
  return prints.every((print, index) => print === marks[index]?.print);
}

/** Of the texts alone: the same files in another folder are the same configuration. */
export const configHash = (marks: readonly ReadMark[]): string =>
  sha256(
    marks.flatMap(({ operation, print }) => (operation === "readText" ? [print] : [])).join("\n"),
  );

/** What cannot be read is a result as well. */
const printOf = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    (value) => sha256(JSON.stringify(value)),
    (error: unknown) => `failed: ${errorText(error)}`,
  );
