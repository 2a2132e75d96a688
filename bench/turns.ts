/**
 * Preloaded into the built command (`node --import`): measures how long the event loop is busy
 * without a break. The first message of the parent begins a measurement, the second ends it, and so
 * on. Each is answered with the turns since the one before.
 */
import { readFileSync } from "node:fs";

/** A turn of the loop: its length on the clock, and the CPU time of the thread in it. */
export interface Turn {
  readonly tookMs: number;
  readonly cpuMs: number;
}

let turns: Turn[] = [];
let isMeasured = false;
let [lastMs, lastCpuMs] = [0, 0];

/**
 * Returns the CPU time of this thread so far, see proc_pid_schedstat(5). Other processes do not
 * count.
 */
function cpuMs(): number {
  return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e6;
}

// A callback of setImmediate runs once in every turn, and the loop does not wait while there is one.
function measure(): void {
  const [nowMs, nowCpuMs] = [performance.now(), cpuMs()];
  turns.push({ tookMs: nowMs - lastMs, cpuMs: nowCpuMs - lastCpuMs });
  [lastMs, lastCpuMs] = [nowMs, nowCpuMs];
  if (isMeasured) setImmediate(measure);
}

process.on("message", () => {
  isMeasured = !isMeasured;
  process.send?.(turns);
  turns = [];
  [lastMs, lastCpuMs] = [performance.now(), cpuMs()];
  if (isMeasured) setImmediate(measure);
});
process.channel?.unref();
