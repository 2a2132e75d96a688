/**
 * Where the control socket of a state file is: beside it, or, where that path is too long for a
 * socket, in a folder of this user under the system's temporary one.
 */
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** sockaddr_un holds 108 bytes on Linux and 104 on macOS, the closing zero included. */
const MAX_PATH_BYTES = 100;

/** The same for the daemon and for every command that is given the same state file. */
export function controlSocketPath(statePath: string): string {
  const absolute = resolve(statePath);
  const beside = `${absolute}.sock`;
  if (Buffer.byteLength(beside) <= MAX_PATH_BYTES) return beside;
  const name = createHash("sha256").update(absolute).digest("hex").slice(0, 16);
  return join(sharedFolder(), `${name}.sock`);
}

/**
 * Others can write to the temporary folder, so ours inside it is private to this user;
 * control-socket.ts makes and checks it.
 */
export const sharedFolder = (): string =>
  join(tmpdir(), `chirpwatch-${process.getuid?.() ?? "user"}`);
