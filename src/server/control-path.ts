/**
 * Computes the path of the control socket of a state file. The socket is next to the state file. If
 * that path is too long for a socket, the socket is in a folder of this user below the system's
 * temporary folder.
 */
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/**
 * The maximum length of a socket's path. sockaddr_un holds 108 bytes on Linux and 104 on macOS,
 * including the closing zero byte.
 */
const MAX_PATH_BYTES = 100;

/**
 * Returns the path of the control socket. The daemon and all commands that name the same state file
 * get the same path.
 */
export function controlSocketPath(statePath: string): string {
  const absolute = resolve(statePath);
  const beside = `${absolute}.sock`;
  if (Buffer.byteLength(beside) <= MAX_PATH_BYTES) return beside;
  const name = createHash("sha256").update(absolute).digest("hex").slice(0, 16);
  return join(sharedFolder(), `${name}.sock`);
}

/**
 * Returns this user's folder inside the temporary folder. Every user can write to the temporary
 * folder, so control-socket.ts creates this folder as private and checks that it is private.
 */
export const sharedFolder = (): string =>
  join(tmpdir(), `chirpwatch-${process.getuid?.() ?? "user"}`);
