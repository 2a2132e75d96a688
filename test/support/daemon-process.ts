/**
 * `chirpwatch run` with its HTTP side: the whole command in this process, or as a process of its
 * own if a test is about that.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StatusView } from "../../src/server/schema/status-view.ts";
import { type BinProcess, type Logging, loggingOf, startBin } from "./bin-process.ts";
import { expectAlive, type Running } from "./child-process.ts";
import { startCommand } from "./run-command.ts";

export type DaemonProcess = BinProcess & HttpSide;
/** A daemon in this process or in one of its own. */
export type RunningDaemon = Running & Logging & HttpSide;

interface HttpSide {
  /** The address of the status page and the API. */
  readonly url: string;
  readonly status: () => Promise<StatusView>;
  post(path: string): Promise<{ readonly status: number; readonly body: string }>;
  get(path: string): Promise<string>;
}

export interface DaemonFiles {
  readonly folder: string;
  readonly env?: Record<string, string>;
}

/** Writes watches.yaml. JSON is YAML, and leaves no doubt about types. */
export const writeConfig = (folder: string, config: object | string): void =>
  writeFileSync(
    join(folder, "watches.yaml"),
    typeof config === "string" ? config : JSON.stringify(config, null, 2),
  );

/** Resolves when the status page is up. */
export const startDaemonProcess = ({ folder, env }: DaemonFiles): Promise<DaemonProcess> =>
  withHttpSide(
    startBin(["run", "-c", "watches.yaml"], { cwd: folder, ...(env === undefined ? {} : { env }) }),
  );

/** Starts the daemon in this process. Only SIGTERM, SIGINT and SIGHUP reach it. */
export function startDaemonHere({ folder, env }: DaemonFiles): Promise<RunningDaemon> {
  const file = join(folder, "watches.yaml");
  const daemon = expectAlive(`run -c ${file}`, startCommand(["run", "-c", file], env), "SIGTERM");
  return withHttpSide({ ...daemon, ...loggingOf(daemon) });
}

async function withHttpSide<T extends Running & Logging>(daemon: T): Promise<T & HttpSide> {
  const url = String((await daemon.logged("status page is up"))["url"]).replace(/\/$/, "");
  const get = async (path: string) => (await fetch(`${url}${path}`)).text();
  return {
    ...daemon,
    url,
    get,
    status: async () => JSON.parse(await get("/api/v1/status")) as StatusView,
    async post(path) {
      const answer = await fetch(`${url}${path}`, { method: "POST" });
      return { status: answer.status, body: await answer.text() };
    },
  };
}

/**
 * Returns a reset day for tests of the quota. It is so far away that no period ends during a test,
 * whatever the date.
 */
export const farResetDay = (): number => ((new Date().getUTCDate() + 13) % 28) + 1;

/**
 * Returns the settings that every configuration of these tests shares: free ports and a state of
 * its own.
 */
export const baseConfig = (apiUrl: string, key = "K1") => ({
  version: 1,
  api: { base_url: apiUrl, key },
  state: { path: "data/state.db" },
  server: { listen: "127.0.0.1:0" },
});
