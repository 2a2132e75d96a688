/**
 * Child processes of tests, mostly Node: collects what they write to both streams, and how they
 * end. If a child ends unexpectedly, every pending `until` fails at once and reports what the child
 * wrote.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { spawn } from "node:child_process";

/** A command that runs, in a process of its own or in this one. */
export interface Running {
  /** Returns everything it has written so far. */
  readonly out: () => string;
  readonly err: () => string;
  /** Sends a signal. Every signal but SIGHUP asks it to end. */
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it has ended; `code` is null after a signal. */
  readonly gone: Promise<Ended>;
}

export interface ChildProcess extends Running {
  readonly pid: number;
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

/** A process that is ended if its test left it running. */
interface Endable {
  readonly gone: Promise<Ended>;
  end(): void;
}

const running = new Set<Endable>();
const endedEarly: string[] = [];
/** The processes started by the current test. Tests that run concurrently have a set each. */
const ofTest = new AsyncLocalStorage<Set<Endable>>();

/** Starts a script that runs until it is killed. Its environment has only what Node needs. */
export const startScript = (args: readonly string[], place: ChildPlace = {}): ChildProcess =>
  launch(args, place, "until it is killed");

/** Runs a script to its end, whatever its exit code. */
export const runScript = (args: readonly string[], place: ChildPlace = {}): Promise<Ended> =>
  launch(args, place, "to its end").gone;

function launch(
  args: readonly string[],
  { cwd, env: more }: ChildPlace,
  runs: "until it is killed" | "to its end",
): ChildProcess {
  const env = { PATH: process.env["PATH"], TMPDIR: process.env["TMPDIR"], HOME: cwd, ...more };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const gone = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, out, err }));
  });
  const started = {
    out: () => out,
    err: () => err,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    gone,
  };
  const followed =
    runs === "to its end"
      ? follow(started, "SIGKILL")
      : expectAlive(`node ${args.join(" ")}`, started, "SIGKILL");
  return { ...followed, pid: child.pid ?? 0 };
}

/** Registers a child, which is ended with this signal if its test does not end it. */
function follow(one: Running, lastSignal: NodeJS.Signals): Running {
  const endable: Endable = { gone: one.gone, end: () => one.kill(lastSignal) };
  running.add(endable);
  ofTest.getStore()?.add(endable);
  const forget = () => void running.delete(endable);
  one.gone.then(forget, forget);
  return one;
}

/** Registers a child that must run until it is killed. */
export function expectAlive(name: string, one: Running, lastSignal: NodeJS.Signals): Running {
  let mayEnd = false;
  one.gone.then(
    ({ code, signal, out, err }) => {
      if (!mayEnd) endedEarly.push(`${name} ended early with ${code ?? signal}\n${err}${out}`);
    },
    () => undefined,
  );
  const watched: Running = {
    ...one,
    kill(signal) {
      if (signal !== "SIGHUP") mayEnd = true;
      one.kill(signal);
    },
  };
  return follow(watched, lastSignal);
}

/**
 * Runs a test and ends the processes it left running. A daemon left behind would go on using the
 * processor.
 */
export async function endingChildren(runTest: () => Promise<void>): Promise<void> {
  const started = new Set<Endable>();
  try {
    await ofTest.run(started, runTest);
  } finally {
    await end(started);
  }
}

async function end(some: ReadonlySet<Endable>): Promise<void> {
  const all = [...some];
  for (const one of all) one.end();
  await Promise.all(all.map(({ gone }) => gone));
}

/**
 * Releases the storage of `endingChildren`, which slows down every promise of the process. For
 * afterAll.
 */
export const forgetTests = (): void => ofTest.disable();

/**
 * @throws Error when something ended that was started to run until it is killed; it names the first
 * one and what it wrote
 */
export function expectChildrenAlive(): void {
  if (endedEarly[0] !== undefined) throw new Error(endedEarly[0]);
}

/** Ends what still runs and forgets what ended: for afterEach or afterAll. */
export async function endChildren(): Promise<void> {
  await end(running);
  endedEarly.length = 0;
}
