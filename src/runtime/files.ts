/** Implements the Files port, which only reads. Each room that writes files does so itself. */
import { constants } from "node:fs";
import { access, open, readdir, stat, statfs } from "node:fs/promises";
import type { Files } from "../model/files.ts";
import { readDenial } from "./read-denial.ts";

/** Creates access to real files. A UTF-8 byte order mark is removed from the text. */
export function createFiles(): Files {
  return {
    readText: (path) =>
      explained(path, async () => (await readRegular(path)).replace(/^\uFEFF/, "")),
    size: (path) => explained(path, async () => (await stat(path)).size),
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
    freeBytes: async (path) => {
      const { bavail, bsize } = await statfs(path);
      return bavail * bsize;
    },
    list: (path) => explained(path, async () => (await readdir(path)).sort()),
  };
}

/**
 * Reads a regular file. Anything else is refused, because a pipe would wait for its writer and a
 * device may have no end. @throws an Error with `code` EFTYPE for anything but a file or a folder
 */
async function readRegular(path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!found.isFile() && !found.isDirectory())
      throw Object.assign(new Error(`${path} is not a regular file`), { code: "EFTYPE" });
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/** Adds an explanation (`denial`) to an error that says that access was denied. */
async function explained<Value>(path: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? ""))
      Object.assign(error as object, { denial: readDenial(path) });
    throw error;
  }
}
