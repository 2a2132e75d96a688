/** The built bin as a process of its own, in a folder of its own: what it says on both streams, and how it ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { until } from "./until.ts";

/** CHIRPWATCH_BIN tests another build than the checkout's. */
export const BIN = resolve(process.env["CHIRPWATCH_BIN"] ?? "dist/main.js");

export interface BinProcess {
  readonly pid: number;
  /** Everything it wrote so far. */
  readonly out: () => string;
  readonly err: () => string;
  /** Lines of standard error that are JSON. */
  readonly log: () => readonly LogLine[];
  /** Resolves with the first log line that says so. */
  logged(message: string | RegExp): Promise<LogLine>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it is gone; `code` is null after a signal. */
  readonly gone: Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

export interface LogLine {
  readonly msg: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

const running = new Set<ChildProcess>();
const folders = new Set<string>();

/** Starts it with nothing of this process's environment but what Node needs. */
export function startBin(args: readonly string[], options: { readonly cwd: string; readonly env?: Record<string, string> }): BinProcess {
  if (!existsSync(BIN)) throw new Error(`${BIN} is missing: run \`npm run build\` first, these tests drive the built program`);
  const env = { PATH: process.env["PATH"], HOME: options.cwd, ...options.env };
  const child = spawn(process.execPath, [BIN, ...args], { cwd: options.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const gone = new Promise<Ended>((done) => {
    child.on("close", (code, signal) => {
      running.delete(child);
      done({ code, signal, out, err });
    });
  });
  const log = () => err.split("\n").flatMap(parseLine);
  return {
    pid: child.pid ?? 0,
    out: () => out,
    err: () => err,
    log,
    logged: (message) =>
      until(
        `the log line ${message}`,
        () => {
          const line = log().find(({ msg }) => (typeof message === "string" ? msg === message : message.test(msg)));
          if (line === undefined && child.exitCode !== null) throw new Error(`it ended with ${child.exitCode} instead:\n${err}`);
          return line;
        },
        () => err,
      ),
    kill: (signal) => void child.kill(signal),
    gone,
  };
}

/** Runs it to its end. */
export const runBin = (args: readonly string[], options: { readonly cwd: string; readonly env?: Record<string, string> }): Promise<Ended> =>
  startBin(args, options).gone;

function parseLine(line: string): readonly LogLine[] {
  if (!line.startsWith("{")) return [];
  try {
    return [JSON.parse(line) as LogLine];
  } catch {
    return [];
  }
}

/** A new empty folder, with these files in it. */
export function makeFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "chirpwatch-e2e-"));
  folders.add(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Ends what still runs and removes the folders: for afterEach. */
export async function cleanUp(): Promise<void> {
  const ends = [...running].map((child) => new Promise((done) => child.once("close", done)));
  for (const child of running) child.kill("SIGKILL");
  await Promise.all(ends);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
}
