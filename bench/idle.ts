/**
 * Resident memory and CPU of the daemon while nothing is due. The state is filled beforehand,
 * because ten thousand first polls take more than eight minutes at the service's ceiling.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startApiStub } from "./api-stub.ts";
import { configText } from "./config-text.ts";
import { residentKilobytes, startDaemonProcess } from "./daemon-process.ts";
import type { Figure } from "./figure.ts";
import { fillState } from "./filled-state.ts";
import { inScratch } from "./scratch.ts";

/**
 * The daemon collects the garbage of its start for the last time after 24 s. Ten thousand watches
 * are only set up after the page is up.
 */
const SETTLE_MS = 45_000;
/** Long enough to contain each job that runs once a minute, once. */
const WATCHED_MS = 60_000;
const PATTERNS = 60;
const BARE_SETTLE_MS = 1_000;

const [FEW, MANY] = [1_000, 10_000];

export async function benchIdle(): Promise<readonly Figure[]> {
  const few = await inScratch((folder) => measure(folder, FEW));
  const many = await inScratch((folder) => measure(folder, MANY));
  const ratios = {
    "memory of 1,000 watches / bare Node": few.kilobytes / (await bareKilobytes()),
    "kB a watch": (many.kilobytes - few.kilobytes) / (MANY - FEW),
  };
  return [few, { ...many, ratios }];
}

/** The resident memory of a process that does nothing. */
async function bareKilobytes(): Promise<number> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1_000)"]);
  const ended = once(child, "exit");
  await pause(BARE_SETTLE_MS);
  const kilobytes = residentKilobytes(child.pid);
  child.kill();
  await ended;
  return kilobytes;
}

interface Idle extends Figure {
  readonly kilobytes: number;
}

async function measure(folder: string, watches: number): Promise<Idle> {
  const api = await startApiStub();
  const path = join(folder, "watches.yaml");
  await writeFile(path, configText({ apiUrl: api.url, watches, scheduleOf: idleSchedule }));
  await fillState(path, { firstMs: Date.now(), stepMs: 0 });
  const daemon = startDaemonProcess(path);
  try {
    const startMs = performance.now();
    await daemon.said("status page is up");
    const upMs = performance.now() - startMs;
    await pause(SETTLE_MS);
    const before = daemon.cpuMs();
    await pause(WATCHED_MS);
    const share = (daemon.cpuMs() - before) / WATCHED_MS;
    const kilobytes = daemon.residentKilobytes();
    const megabytes = kilobytes / 1_000;
    if (api.billed > 0) throw new Error(`${api.billed} requests while idle`);
    return {
      kilobytes,
      name: `idle at ${watches.toLocaleString("en")} watches`,
      value: `${megabytes.toFixed(0)} MB resident, ${(share * 100).toFixed(2)} % CPU (up in ${upMs.toFixed(0)} ms)`,
    };
  } finally {
    await daemon.stop();
    await api.close();
  }
}

/**
 * Returns a daily schedule twelve hours from now, at one of sixty minutes, so that nothing is due
 * during the measurement.
 */
export function idleSchedule(index: number): string {
  const hour = (new Date(Date.now()).getUTCHours() + 12) % 24;
  return `${index % PATTERNS} ${hour} * * *`;
}
