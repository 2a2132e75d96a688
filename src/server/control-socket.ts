/**
 * The daemon's side of the control socket. Commands send requests to it, because only one process
 * can hold the state.
 */
import { once } from "node:events";
import { chmod, lstat, mkdir, unlink } from "node:fs/promises";
import type { Server } from "node:http";
import { connect } from "node:net";
import { dirname } from "node:path";
import { errorText } from "../model/errors.ts";
import { EXIT, ExitError } from "../model/exit-code.ts";
import { controlSocketPath, sharedFolder } from "./control-path.ts";
import { closeServer, createListener, type Listener } from "./listener.ts";
import type { RouteDeps } from "./load-routes.ts";

export interface ControlSocket extends Pick<Listener, "answerWith"> {
  readonly path: string;
  /** Closes the socket and removes its file. */
  close(): Promise<void>;
}

/**
 * Serves every route on a socket that only this user can open (mode 0600). The caller must hold the
 * state's lock.
 * @throws ExitError if another process already answers on the socket, or if the socket cannot be
 * created
 */
export async function startControl(deps: RouteDeps, statePath: string): Promise<ControlSocket> {
  const path = controlSocketPath(statePath);
  try {
    if (dirname(path) === sharedFolder()) await ensurePrivateFolder(dirname(path));
    await removeStale(path);
    const { server, answerWith } = createListener(deps, { kind: "socket" });
    await listenPrivately(server, path);
    return { path, answerWith, close: () => closeServer(server, deps.clock) };
  } catch (error) {
    if (error instanceof ExitError) throw error;
    throw cannot(path, errorText(error), error);
  }
}

/**
 * Removes a socket file that a killed daemon left behind. Throws if a process answers on the
 * socket, or if the path is something other than a socket.
 */
async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket()) throw cannot(path, "something else is at that path");
  if (await isAnswered(path))
    throw new ExitError(
      EXIT.alreadyRunning,
      "ALREADY_RUNNING",
      `another chirpwatch answers at ${path}`,
      { hint: "stop it first" },
    );
  await unlink(path);
}

/** Whether a process answers on the control socket of this state. */
export const isControlAnswered = (statePath: string): Promise<boolean> =>
  isAnswered(controlSocketPath(statePath));

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Listens on a socket that has mode 0600 from the moment it exists. The process's umask applies
 * because `listen` creates the socket before it returns.
 */
async function listenPrivately(server: Server, path: string): Promise<void> {
  const listening = once(server, "listening");
  const mask = process.umask(0o177);
  try {
    server.listen({ path });
  } finally {
    process.umask(mask);
  }
  await listening;
  await chmod(path, 0o600);
}

/**
 * Creates the folder. Throws if another user created a folder with this name first, or if others
 * can access it.
 */
async function ensurePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  const found = await lstat(folder);
  const isOurs =
    found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  if (!isOurs) throw cannot(folder, "that folder is not private to this user");
}

const cannot = (path: string, why: string, cause?: unknown): ExitError =>
  new ExitError(
    EXIT.cannotCreate,
    "CONTROL_CANNOT_LISTEN",
    `cannot make the control socket ${path}: ${why}`,
    {
      hint: "remove what is at that path, or move state.path to a folder on a local disk",
      cause,
    },
  );
