/**
 * Explains why this process may not write a file: which file or folder refuses, who owns it, and
 * what an operator can do.
 */
import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Returns a sentence with the fix; undefined if nothing on the path refuses, or if the system has
 * no users.
 */
export function writeDenial(path: string): string | undefined {
  const uid = process.getuid?.();
  const refusing = findRefusing(path);
  if (uid === undefined || refusing === undefined) return undefined;
  const { at, code, stats } = refusing;
  if (code === "EROFS") return `${at} is on a read-only file system.`;
  const mode = (stats.mode & 0o777).toString(8).padStart(4, "0");
  if (stats.uid === uid)
    return `${at} belongs to this process's uid ${uid}, with mode ${mode}: run \`chmod u+rwX ${at}\`.`;
  const cure = chown(uid, path, at);
  const asOwner = `start it as that user (\`--user ${stats.uid}:${stats.gid}\` in Docker)`;
  return `This process has uid ${uid}, and ${at} belongs to uid ${stats.uid} (mode ${mode}): run \`${cure}\`, or ${asOwner}.`;
}

/**
 * Returns a command that changes the owner of the file and those whose names begin with its name,
 * or of the state's own folder, but never of a folder that others use, too.
 */
function chown(uid: number, path: string, at: string): string {
  const folder = dirname(path);
  if (at === path) return `chown ${uid} ${path}*`;
  return at === folder ? `chown ${uid} ${folder}` : `mkdir -p ${folder} && chown ${uid} ${folder}`;
}

interface Refusing {
  readonly at: string;
  readonly code: string | undefined;
  readonly stats: Stats;
}

/**
 * Finds the file, or the nearest existing folder above it, that refuses the write. Everything in a
 * folder that this process may not enter counts as missing.
 */
function findRefusing(path: string): Refusing | undefined {
  for (let at = path; ; at = dirname(at)) {
    const stats = statOrUndefined(at);
    const code = stats === undefined ? undefined : refusalCode(at, stats);
    if (stats !== undefined && code !== undefined) return { at, code, stats };
    if (stats?.isDirectory() === true || dirname(at) === at) return undefined;
  }
}

function statOrUndefined(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Returns the code of the refusal; undefined if the path can be written. A folder must also allow
 * this process to enter.
 */
function refusalCode(path: string, stats: Stats): string | undefined {
  try {
    accessSync(path, constants.W_OK | (stats.isDirectory() ? constants.X_OK : 0));
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "";
  }
}
