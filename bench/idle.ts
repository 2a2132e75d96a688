/**
 * Resident memory and CPU of the daemon while nothing is due. The state is filled beforehand, because ten thousand first polls take more than
 * eight minutes at the service's ceiling.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startApiStub } from "./api-stub.ts";
import { configText } from "./config-text.ts";
import { startDaemonProcess } from "./daemon-process.ts";
import type { Figure } from "./figure.ts";
import { fillState } from "./filled-state.ts";
import { inScratch } from "./scratch.ts";

/** The daemon collects the garbage of its start for the last time after 24 s. */
const SETTLE_MS = 30_000;
const WATCHED_MS = 20_000;
const PATTERNS = 60;
/** Linux counts CPU time of a process in these, proc_pid_stat(5). */
const TICKS_A_SECOND = 100;

export async function benchIdle(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const watches of [1_000, 10_000]) figures.push(await inScratch((folder) => measure(folder, watches)));
  return figures;
}

async function measure(folder: string, watches: number): Promise<Figure> {
  const api = await startApiStub();
  const path = join(folder, "watches.yaml");
  await writeFile(path, configText({ apiUrl: api.url, watches, scheduleOf }));
  await fillState(path);
  const daemon = startDaemonProcess(path);
  try {
    const startMs = performance.now();
    await daemon.said("status page is up");
    const upMs = performance.now() - startMs;
    await pause(SETTLE_MS);
    const before = await cpuSeconds(daemon.pid);
    await pause(WATCHED_MS);
    const share = ((await cpuSeconds(daemon.pid)) - before) / (WATCHED_MS / 1_000);
    const megabytes = (await residentKilobytes(daemon.pid)) / 1_000;
    if (api.billed > 0) throw new Error(`${api.billed} requests while idle`);
    return {
      name: `idle at ${watches.toLocaleString("en")} watches`,
      value: `${megabytes.toFixed(0)} MB resident, ${(share * 100).toFixed(2)} % CPU (up in ${upMs.toFixed(0)} ms)`,
    };
  } finally {
    await daemon.stop();
    await api.close();
  }
}

/** Daily, twelve hours from now, at one of sixty minutes: nothing is due while somebody looks. */
function scheduleOf(index: number): string {
  const hour = (new Date(Date.now()).getUTCHours() + 12) % 24;
  return `${index % PATTERNS} ${hour} * * *`;
}

async function residentKilobytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
}

async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The name, in brackets, may hold spaces: fields are counted from its end. User and system time are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}
