/** The file system behind the Files port: reading only. What is written belongs to the rooms that write. */
import { access, readdir, readFile, stat } from "node:fs/promises";
import type { Files } from "../model/files.ts";

/** Real files. A UTF-8 byte order mark is not part of the text. */
export function createFiles(): Files {
  return {
    readText: async (path) => (await readFile(path, "utf8")).replace(/^\uFEFF/, ""),
    size: async (path) => (await stat(path)).size,
    stamp: async (path) => {
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
      return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
    },
    exists: (path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    isDirectory: (path) =>
      stat(path).then(
        (found) => found.isDirectory(),
        () => false,
      ),
    list: async (path) => (await readdir(path)).sort(),
  };
}
