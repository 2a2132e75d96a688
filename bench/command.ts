/**
 * Measures a command beside a running daemon, from its start to its end. An empty script takes
 * turns with it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startApiStub } from "./api-stub.ts";
import { configText } from "./config-text.ts";
import { BIN, startDaemonProcess } from "./daemon-process.ts";
import type { Figure } from "./figure.ts";
import { inScratch } from "./scratch.ts";
import { median, wholeText } from "./summary.ts";

const ROUNDS = 9;

export const benchCommand = (): Promise<readonly Figure[]> => inScratch(measure);

async function measure(folder: string): Promise<readonly Figure[]> {
  const api = await startApiStub();
  const path = join(folder, "watches.yaml");
  await writeFile(path, configText({ apiUrl: api.url, watches: 3, scheduleOf: () => "@every 5m" }));
  const daemon = startDaemonProcess(path);
  try {
    await daemon.said("status page is up");
    const [commandMs, emptyMs]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      emptyMs.push(await runMs(["-e", "0"]));
      commandMs.push(await runMs([BIN, "status", "-c", path]));
    }
    const [command, empty] = [median(commandMs), median(emptyMs)];
    return [
      {
        name: "a command beside a running daemon",
        value: `${wholeText(command)} ms (median of ${ROUNDS}); an empty script ${wholeText(empty)} ms`,
        ratios: { "command / empty script": command / empty },
      },
    ];
  } finally {
    await daemon.stop();
    await api.close();
  }
}

/** Runs Node with these arguments and returns how long it took. @throws if it failed. */
async function runMs(args: readonly string[]): Promise<number> {
  const startMs = performance.now();
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}`);
  return performance.now() - startMs;
}
