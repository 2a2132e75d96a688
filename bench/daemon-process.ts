/** The built command as a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Seen from where the bench is compiled to, .bench/bench/. */
const BIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const GRACE_MS = 10_000;

export interface DaemonProcess {
  readonly pid: number;
  /** Resolves when a line with this text is in the log. @throws when the process ends before. */
  said(text: string): Promise<void>;
  stop(): Promise<void>;
}

export function startDaemonProcess(configPath: string): DaemonProcess {
  const child = spawn(process.execPath, [BIN, "run", "-c", configPath], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const ended = once(child, "exit");
  return {
    pid: child.pid ?? 0,
    async said(text) {
      while (!log.includes(text)) {
        if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}:\n${log}`);
        await Promise.race([once(child.stderr, "data"), ended]);
      }
    },
    stop: () => stop(child, ended),
  };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  await ended;
  clearTimeout(timer);
}
