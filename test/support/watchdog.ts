/**
 * Ends this process when it never yields, or when its parent is gone. Uses a thread, because
 * nothing else runs then.
 */
import { Worker } from "node:worker_threads";

export interface WatchdogOptions {
  readonly maxSilenceMs: number;
  readonly beatMs: number;
}

const WATCHDOG = `
const { workerData } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const beats = new Int32Array(workerData.shared);
let [last, silentMs] = [0, 0];
const end = (reason) => {
  try {
    writeSync(2, "test process " + process.pid + " ends: " + reason + "\\n");
  } catch {
    // The parent that would read it may be gone.
  }
  process.kill(process.pid, "SIGKILL");
};
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  silentMs = beat === last ? silentMs + workerData.beatMs : 0;
  last = beat;
  if (silentMs >= workerData.maxSilenceMs) end("it has not yielded for " + silentMs / 1000 + " s");
  try {
    process.kill(workerData.parent, 0);
  } catch {
    end("its runner is gone");
  }
}, workerData.beatMs);
`;

export function startWatchdog(options: WatchdogOptions): void {
  const shared = new SharedArrayBuffer(4);
  const beats = new Int32Array(shared);
  new Worker(WATCHDOG, {
    eval: true,
    workerData: { ...options, shared, parent: process.ppid },
    execArgv: [],
  }).unref();
  setInterval(() => Atomics.add(beats, 0, 1), options.beatMs).unref();
}
