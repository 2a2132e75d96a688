/**
 * Finds the path of a state file's control socket: beside the state file or, if that path is too
 * long for a socket, in this user's folder under the system's temporary folder.
 */
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** sockaddr_un holds 108 bytes on Linux and 104 on macOS, the closing zero included. */
const MAX_PATH_BYTES = 100;

/** Returns the same path to the daemon and to every command that names the same state file. */
export function controlSocketPath(statePath: string): string {
  const absolute = resolve(statePath);
  const beside = `${absolute}.sock`;
  if (Buffer.byteLength(beside) <= MAX_PATH_BYTES) return beside;
  const name = createHash("sha256").update(absolute).digest("hex").slice(0, 16);
  return join(sharedFolder(), `${name}.sock`);
}

/**
 * Returns this user's folder inside the temporary folder. Others can write to the temporary folder,
 * so control-socket.ts creates this one as private and checks that it is.
 */
export const sharedFolder = (): string =>
  join(tmpdir(), `chirpwatch-${process.getuid?.() ?? "user"}`);
