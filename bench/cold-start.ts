/** From spawning the command to its first billed request, with a state file that does not exist yet. */
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
  const tookMs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) tookMs.push(await inScratch(startOnce));
  const range = `${wholeText(Math.min(...tookMs))} to ${wholeText(Math.max(...tookMs))}`;
  return [{ name: "cold start to first poll", value: `${wholeText(median(tookMs))} ms (median of ${ROUNDS}, ${range})` }];
}

async function startOnce(folder: string): Promise<number> {
  const api = await startApiStub();
  const path = join(folder, "watches.yaml");
  await writeFile(path, configText({ apiUrl: api.url, watches: 3, scheduleOf: () => "@every 5m" }));
  const startMs = performance.now();
  const daemon = startDaemonProcess(path);
  try {
    return (await api.firstBilled) - startMs;
  } finally {
    await daemon.stop();
    await api.close();
  }
}
