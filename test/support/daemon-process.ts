/**
 * `chirpwatch run` with its HTTP side: in this process, the whole command as it ships, and as a
 * process where the claim is about that.
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
  /** Status page and API. */
  readonly url: string;
  readonly status: () => Promise<StatusView>;
  post(path: string): Promise<{ readonly status: number; readonly body: string }>;
  get(path: string): Promise<string>;
}

export interface DaemonFiles {
  readonly folder: string;
  readonly env?: Record<string, string>;
}

/** Writes watches.yaml: JSON is YAML, and says exactly what is meant. */
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

/** The same without a process: nothing but SIGTERM, SIGINT and SIGHUP reaches it. */
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
 * For tests of the quota: a day of the month so far away that no period ends under them, whatever
 * day it is.
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
