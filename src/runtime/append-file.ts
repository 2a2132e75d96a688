/**
 * Appends lines to a file that is rotated by its size. Calls for one file must not overlap;
 * outputs.ts ensures that.
 */
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { AppendRequest } from "../model/outputs.ts";

const NEWLINE = 10;

/**
 * Appends text. If the file ends in an incomplete line, as after a crash, the text begins on a new
 * line. @throws an Error with `code` as Node does; ENOTFILE for a device, a pipe or a folder
 */
export async function appendRotating({ path, text, maxBytes, keep }: AppendRequest): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const size = await sizeOf(path);
  if (size > 0 && size + Buffer.byteLength(text) > maxBytes) await rotate(path, keep);
  const file = await open(path, "a+", 0o600);
  try {
    const { size: before } = await file.stat();
    const { buffer } = await file.read({
      buffer: Buffer.alloc(1),
      position: Math.max(0, before - 1),
    });
    const isTorn = before > 0 && buffer[0] !== NEWLINE;
    await file.appendFile(isTorn ? `\n${text}` : text);
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(ignoreMissing);
  if (found?.isFile() === false)
    throw Object.assign(new Error("it is not a regular file"), { code: "ENOTFILE" });
  return found?.size ?? 0;
}

/**
 * Renames each file to the next number. A crash between two renames leaves a gap in the numbers,
 * but loses only the oldest file.
 */
async function rotate(path: string, keep: number): Promise<void> {
  const names = [path, ...Array.from({ length: keep }, (_, n) => `${path}.${n + 1}`)];
  if (keep === 0) return rm(path);
  for (let n = keep; n > 0; n -= 1)
    await rename(names[n - 1] ?? path, names[n] ?? path).catch(ignoreMissing);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
