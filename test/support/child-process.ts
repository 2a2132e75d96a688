/**
 * A Node process that a test starts: what it writes on both streams and how it ends. An end that nobody asked for fails whatever waits in
 * `until`, at once and with what the process wrote.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type ChildProcess as NodeChild, spawn } from "node:child_process";

export interface ChildProcess {
  readonly pid: number;
  /** Everything it wrote so far. */
  readonly out: () => string;
  readonly err: () => string;
  /** Every signal but SIGHUP asks it to end. */
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it has ended; `code` is null after a signal. */
  readonly gone: Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

export interface ChildPlace {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

const running = new Set<NodeChild>();
const endedEarly: string[] = [];
/** Those of the test under way; tests that run side by side have one each. */
const ofTest = new AsyncLocalStorage<Set<ChildProcess>>();

/** Starts a script that runs until it is killed, with nothing of this process's environment but what Node needs. */
export const startScript = (args: readonly string[], place: ChildPlace = {}): ChildProcess => launch(args, place, "until it is killed");

/** Runs a script to its end, whatever its exit code. */
export const runScript = (args: readonly string[], place: ChildPlace = {}): Promise<Ended> => launch(args, place, "to its end").gone;

function launch(args: readonly string[], { cwd, env: more }: ChildPlace, runs: "until it is killed" | "to its end"): ChildProcess {
  const env = { PATH: process.env["PATH"], TMPDIR: process.env["TMPDIR"], HOME: cwd, ...more };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let out = "";
  let err = "";
  let mayEnd = runs === "to its end";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const gone = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      running.delete(child);
      if (!mayEnd) endedEarly.push(`a child process ended early with ${code ?? signal}: node ${args.join(" ")}\n${err}${out}`);
      resolve({ code, signal, out, err });
    });
  });
  const started: ChildProcess = {
    pid: child.pid ?? 0,
    out: () => out,
    err: () => err,
    kill(signal) {
      if (signal !== "SIGHUP") mayEnd = true;
      child.kill(signal);
    },
    gone,
  };
  ofTest.getStore()?.add(started);
  return started;
}

/** Runs a test and kills the processes that it left running: an abandoned daemon goes on using the processor. */
export async function endingChildren(runTest: () => Promise<void>): Promise<void> {
  const started = new Set<ChildProcess>();
  try {
    await ofTest.run(started, runTest);
  } finally {
    for (const child of started) child.kill("SIGKILL");
    await Promise.all([...started].map(({ gone }) => gone));
  }
}

/** For afterAll, where `endingChildren` was used: the storage slows every promise of the process down. */
export const forgetTests = (): void => ofTest.disable();

/** @throws Error when a process ended that was started to run until it is killed; it names the first one and what it wrote */
export function expectChildrenAlive(): void {
  if (endedEarly[0] !== undefined) throw new Error(endedEarly[0]);
}

/** Kills what still runs and forgets what ended: for afterEach or afterAll. */
export async function endChildren(): Promise<void> {
  const ends = [...running].map((child) => new Promise((resolve) => child.once("close", resolve)));
  for (const child of running) child.kill("SIGKILL");
  await Promise.all(ends);
  endedEarly.length = 0;
}
