/** `chirpwatch run` as a process, with its HTTP side. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StatusView } from "../../src/server/words/views.ts";
import { type BinProcess, startBin } from "./bin-process.ts";

export interface DaemonProcess extends BinProcess {
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
  writeFileSync(join(folder, "watches.yaml"), typeof config === "string" ? config : JSON.stringify(config, null, 2));

/** Resolves when the status page is up. */
export async function startDaemonProcess({ folder, env }: DaemonFiles): Promise<DaemonProcess> {
  const bin = startBin(["run", "-c", "watches.yaml"], { cwd: folder, ...(env === undefined ? {} : { env }) });
  const url = String((await bin.logged("status page is up"))["url"]).replace(/\/$/, "");
  const get = async (path: string) => (await fetch(`${url}${path}`)).text();
  return {
    ...bin,
    url,
    get,
    status: async () => JSON.parse(await get("/api/v1/status")) as StatusView,
    async post(path) {
      const answer = await fetch(`${url}${path}`, { method: "POST" });
      return { status: answer.status, body: await answer.text() };
    },
  };
}

/** For tests of the quota: a day of the month so far away that no period ends under them, whatever day it is. */
export const farResetDay = (): number => ((new Date().getUTCDate() + 13) % 28) + 1;

/** What every configuration of these tests begins with: free ports, a state of its own. */
export const baseConfig = (apiUrl: string, key = "K1") => ({
  version: 1,
  api: { base_url: apiUrl, key },
  state: { path: "data/state.db" },
  server: { listen: "127.0.0.1:0" },
});
