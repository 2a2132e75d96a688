/**
 * Measures what a large configuration costs at a start and at a reload: how long the page's port
 * takes to answer meanwhile, the longest turn of the event loop, and the peak of memory beside what
 * remains in use. The state is filled beforehand, as for the idle daemon.
 */
import { once } from "node:events";
import { appendFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startApiStub } from "./api-stub.ts";
import { type ConfigOptions, writeConfigFolder } from "./config-text.ts";
import { type DaemonProcess, startDaemonProcess } from "./daemon-process.ts";
import type { Figure } from "./figure.ts";
import { fillState } from "./filled-state.ts";
import { idleSchedule } from "./idle.ts";
import { inScratch } from "./scratch.ts";
import { wholeText } from "./summary.ts";
import type { Turn } from "./turns.ts";

const SIZES = [10_000, 100_000];
/** Long enough for the start of the larger size and the garbage collections after it. */
const START_MS = 60_000;
const ASK_EVERY_MS = 20;

export async function benchStarts(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const watches of SIZES)
    figures.push(...(await inScratch((folder) => measure(folder, watches))));
  return figures;
}

async function measure(folder: string, watches: number): Promise<readonly Figure[]> {
  const api = await startApiStub();
  const path = join(folder, "config");
  const options: ConfigOptions = {
    ...{ apiUrl: api.url, watches, scheduleOf: idleSchedule },
    state: `path: "${join(folder, "state.db")}"`,
  };
  await writeConfigFolder(path, options);
  await fillState(path, { firstMs: Date.now(), stepMs: 0 });
  const memory = await measureMemory(path);
  const daemon = startDaemonProcess(path, { preload: new URL("turns.js", import.meta.url).href });
  try {
    await daemon.ask<readonly Turn[]>();
    const line = await daemon.said("status page is up");
    const url = /http:\/\/[\d.:]+/.exec(line)?.[0] ?? "";
    const started = await askMeanwhile(daemon, url);
    // The daemon notices the change without a signal.
    await appendFile(
      join(path, "watches-0.yaml"),
      `  added: { type: search, query: "added", schedule: "${idleSchedule(0)}" }\n`,
    );
    await daemon.ask<readonly Turn[]>();
    const reloaded = await askMeanwhile(daemon, url);
    const name = `${wholeText(watches)} watches`;
    return [
      { name: `start with ${name}`, value: valueOf(started) },
      {
        name: `memory of the start with ${name}`,
        value: `${wholeText(memory.restingKilobytes / 1_000)} MB at rest, ${memory.peak.toFixed(2)} times as much at the peak`,
        ratios: { [`peak / rest of ${name}`]: memory.peak },
      },
      { name: `reload with ${name}`, value: valueOf(reloaded) },
    ];
  } finally {
    await daemon.stop();
    await api.close();
  }
}

/** Measures a start of its own, because measuring turns uses memory as well. */
async function measureMemory(path: string) {
  const daemon = startDaemonProcess(path);
  try {
    await daemon.said("status page is up");
    await pause(START_MS);
    const restingKilobytes = daemon.residentKilobytes();
    return { restingKilobytes, peak: daemon.peakKilobytes() / restingKilobytes };
  } finally {
    await daemon.stop();
  }
}

interface Watched {
  readonly slowestAnswerMs: number;
  readonly longest: Turn;
}

/** Asks the port until the time is over. A measurement of turns is running and ends with it. */
async function askMeanwhile(daemon: DaemonProcess, url: string): Promise<Watched> {
  const untilMs = performance.now() + START_MS;
  let slowestAnswerMs = 0;
  while (performance.now() < untilMs) {
    const askedMs = performance.now();
    await answer(`${url}/healthz`);
    slowestAnswerMs = Math.max(slowestAnswerMs, performance.now() - askedMs);
    await pause(ASK_EVERY_MS);
  }
  const turns = await daemon.ask<readonly Turn[]>();
  const longest = turns.reduce((a, b) => (a.tookMs > b.tookMs ? a : b));
  return { slowestAnswerMs, longest };
}

/** Makes a request on a connection of its own. Resolves when the answer has ended. */
async function answer(url: string): Promise<void> {
  const [response] = (await once(get(url, { agent: false }), "response")) as [IncomingMessage];
  await once(response.resume(), "end");
}

const valueOf = ({ slowestAnswerMs, longest }: Watched): string =>
  `/healthz within ${slowestAnswerMs.toFixed(0)} ms, longest turn of the event loop ${longest.tookMs.toFixed(0)} ms (${longest.cpuMs.toFixed(0)} ms of CPU)`;
