/**
 * Explains why this process may not read a file: which file or folder denies access, who owns it,
 * and what an operator can do.
 */
import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Returns why this user cannot read a file, and what to do about it. Returns undefined if the file
 * and every folder of its path allow access, or if the system has no user ids.
 */
export function readDenial(path: string): string | undefined {
  const uid = process.getuid?.();
  const refusing = uid === undefined ? undefined : wayTo(path).find(isClosed);
  if (refusing === undefined) return undefined;
  const { uid: owner, gid, mode } = statSync(refusing);
  const shownMode = (mode & 0o777).toString(8).padStart(4, "0");
  if (owner === uid)
    return `${refusing} belongs to this process's uid ${uid}, with mode ${shownMode}: run \`chmod u+rX ${refusing}\``;
  const asOwner = `start it as that user (\`--user ${owner}:${gid}\` in Docker)`;
  return `this process has uid ${uid}, and ${refusing} belongs to uid ${owner} (mode ${shownMode}): run \`chown -R ${uid} ${refusing}\`, or ${asOwner}`;
}

/** Returns the folders above a path, from the root on, and then the path itself. */
const wayTo = (path: string): readonly string[] =>
  dirname(path) === path ? [path] : [...wayTo(dirname(path)), path];

function isClosed(path: string): boolean {
  const stats = statOf(path);
  if (stats === undefined) return false;
  try {
    accessSync(path, stats.isDirectory() ? constants.X_OK : constants.R_OK);
    return false;
  } catch {
    return true;
  }
}

/**
 * Returns the status of a file; undefined if it cannot be read because a folder above denies
 * access.
 */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
