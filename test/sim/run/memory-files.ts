/** Files of a simulation, in memory. They can be written while a daemon reads them. */
import type { Files } from "../../../src/model/files.ts";

export interface MemoryFiles extends Files {
  put(path: string, text: string): void;
}

export function createMemoryFiles(): MemoryFiles {
  const texts = new Map<string, { readonly text: string; readonly version: number }>();
  let versions = 0;
  const find = (path: string) => {
    const file = texts.get(path);
    if (file === undefined)
      throw Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: "ENOENT" });
    return file;
  };
  const below = (path: string) => [...texts.keys()].filter((one) => one.startsWith(`${path}/`));
  return {
    put: (path, text) => void texts.set(path, { text, version: (versions += 1) }),
    readText: async (path) => find(path).text,
    size: async (path) => Buffer.byteLength(find(path).text),
    stamp: async (path) => String(find(path).version),
    exists: async (path) => texts.has(path) || below(path).length > 0,
    isDirectory: async (path) => below(path).length > 0,
    list: async (path) => [
      ...new Set(below(path).map((one) => one.slice(path.length + 1).split("/")[0] ?? "")),
    ],
  };
}
