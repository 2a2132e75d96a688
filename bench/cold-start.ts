/**
 * From spawning the command to its first billed request, with a state file that does not exist yet;
 * and what was computed until then. A bare script that only sends a request takes turns with it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startApiStub } from "./api-stub.ts";
import { configText } from "./config-text.ts";
import { startDaemonProcess } from "./daemon-process.ts";
import type { Figure } from "./figure.ts";
import { inScratch } from "./scratch.ts";
import { median, wholeText } from "./summary.ts";

const ROUNDS = 7;

export async function benchColdStart(): Promise<readonly Figure[]> {
  const starts: Start[] = [];
  const bareMs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bareMs.push(await startBare());
    starts.push(await inScratch(startOnce));
  }
  const tookMs = starts.map((start) => start.tookMs);
  const range = `${wholeText(Math.min(...tookMs))} to ${wholeText(Math.max(...tookMs))}`;
  const cpu = `${wholeText(median(starts.map(({ cpuMs }) => cpuMs)))} ms of CPU`;
  const bare = `a bare script ${wholeText(median(bareMs))} ms`;
  return [
    {
      name: "cold start to first poll",
      value: `${wholeText(median(tookMs))} ms (median of ${ROUNDS}, ${range}), ${cpu}; ${bare}`,
      ratios: { "cold start / bare script": median(tookMs) / median(bareMs) },
    },
  ];
}

const BARE_SCRIPT = `require("node:http").get(process.argv[1])`;

/** The time until the request of a bare script arrives, in ms. */
async function startBare(): Promise<number> {
  const api = await startApiStub();
  const startMs = performance.now();
  const child = spawn(process.execPath, ["-e", BARE_SCRIPT, api.url], { stdio: "ignore" });
  const ended = once(child, "exit");
  try {
    return (await api.firstBilled) - startMs;
  } finally {
    await ended;
    await api.close();
  }
}

interface Start {
  readonly tookMs: number;
  /** Beside other work this moves less than the time on the clock. */
  readonly cpuMs: number;
}

async function startOnce(folder: string): Promise<Start> {
  const api = await startApiStub();
  const path = join(folder, "watches.yaml");
  await writeFile(path, configText({ apiUrl: api.url, watches: 3, scheduleOf: () => "@every 5m" }));
  const startMs = performance.now();
  const daemon = startDaemonProcess(path);
  try {
    const tookMs = (await api.firstBilled) - startMs;
    return { tookMs, cpuMs: daemon.cpuMs() };
  } finally {
    await daemon.stop();
    await api.close();
  }
}
