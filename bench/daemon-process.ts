/** Runs the built command as a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The path is relative to .bench/bench/, the output folder of this file. */
export const BIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const GRACE_MS = 10_000;
/** Linux counts the CPU time of a process in ticks, proc_pid_stat(5). */
const TICKS_A_SECOND = 100;

export interface DaemonProcess {
  /** Returns the CPU time of all its threads so far. */
  cpuMs(): number;
  residentKilobytes(): number;
  /** Returns the peak of the resident memory so far. */
  peakKilobytes(): number;
  /**
   * Returns the first line of the log with this text, once it is there. @throws when the process
   * ends before.
   */
  said(text: string): Promise<string>;
  /** Sends a message to the preloaded file and returns its answer. */
  ask<Answer>(): Promise<Answer>;
  /** Kills it with SIGKILL and resolves when it is gone. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** `preload`: the URL of a file that the process loads first and that answers messages. */
export function startDaemonProcess(
  configPath: string,
  { preload }: { readonly preload?: string } = {},
): DaemonProcess {
  const more = preload === undefined ? [] : ["--import", preload];
  const child = spawn(process.execPath, [...more, BIN, "run", "-c", configPath], {
    stdio: ["ignore", "ignore", "pipe", ...(preload === undefined ? [] : (["ipc"] as const))],
  });
  let log = "";
  const { stderr } = child;
  if (stderr === null) throw new Error("the daemon has no standard error");
  stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const ended = once(child, "exit");
  return {
    cpuMs: () => cpuMs(child.pid ?? 0),
    residentKilobytes: () => residentKilobytes(child.pid),
    peakKilobytes: () => kilobytes(child.pid, "VmHWM"),
    async said(text) {
      while (!log.includes(text)) {
        if (child.exitCode !== null)
          throw new Error(`the daemon ended with ${child.exitCode}:\n${log}`);
        await Promise.race([once(stderr, "data"), ended]);
      }
      return log.split("\n").find((line) => line.includes(text)) ?? "";
    },
    async ask<Answer>() {
      child.send("turns");
      return ((await once(child, "message")) as [Answer])[0];
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    stop: () => stop(child, ended),
  };
}

/** Returns the resident memory of a process. */
export const residentKilobytes = (pid: number | undefined): number => kilobytes(pid, "VmRSS");

const kilobytes = (pid: number | undefined, field: string): number =>
  Number(
    new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1],
  );

function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name, in brackets, may hold spaces: fields are counted from its end. User and system time
  // are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND) * 1_000;
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  await ended;
  clearTimeout(timer);
}
