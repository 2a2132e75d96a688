/**
 * Runs a command inside this process, at a hundredth of the cost of a process, for tests of what it
 * prints and does. A few e2e tests start processes.
 */
import { createContext } from "../../src/cli/terminal/context.ts";
import { readLogLevel } from "../../src/cli/terminal/log-level.ts";
import { runCli } from "../../src/cli/program.ts";
import { createHttpAgent } from "../../src/runtime/http-agent.ts";
import { createLogger, type LogStream } from "../../src/runtime/logger.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import type { Ended, Running } from "./child-process.ts";
import { countingHttp } from "./counting-http.ts";
import { createVirtualClock } from "./virtual-clock.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Place {
  readonly cwd: string;
  readonly env?: Record<string, string>;
}

const shared = createContext();
let underWay: Promise<unknown> = Promise.resolve();

/**
 * Runs a command to its end, in that folder and with an otherwise empty environment. Commands run
 * one after the other, because they share the working folder.
 */
export function runCommand(args: readonly string[], { cwd, env }: Place): Promise<Ran> {
  const ran = underWay.then(async () => {
    const before = process.cwd();
    process.chdir(cwd);
    try {
      const { code, out, err } = await startCommand(args, env).gone;
      return { code: code ?? 0, out, err };
    } finally {
      process.chdir(before);
    }
  });
  underWay = ran.catch(() => undefined);
  return ran;
}

/**
 * Starts a command in the present folder, with an otherwise empty environment. Paths must be
 * absolute. Only the first stop signal reaches it, because the second one would end this process.
 */
export function startCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  clock = shared.clock,
  http = createHttpAgent(),
): Running {
  let out = "";
  let err = "";
  const stream: LogStream = {
    writableLength: 0,
    write(text, done) {
      err += text;
      done?.();
      return true;
    },
    on: () => undefined,
  };
  const signals = createSignals();
  const run = async (): Promise<Ended> => {
    const code = await runCli(["node", "chirpwatch", ...args], {
      ...shared,
      env,
      clock,
      http,
      outputs: createOutputs(env["CHIRPWATCH_ALLOW_EXEC"]),
      onSignals: signals.on,
      leave: () => undefined,
      alerts: { isLog: false, write: async (text) => void (out += `${text}\n`) },
      onUncaught: () => () => undefined,
      out: (text) => void (out += `${text}\n`),
      err: (text) => void (err += `${text}\n`),
      logger: (level) =>
        createLogger({ stream, level: level ?? readLogLevel(env), format: "json" }),
    });
    await http.close();
    return { code, signal: null, out, err };
  };
  return { out: () => out, err: () => err, kill: signals.send, gone: run() };
}

/** Creates a stand-in for the signals that a process receives. */
function createSignals() {
  const listeners = new Set<(name: NodeJS.Signals) => void>();
  let mayEnd = false;
  return {
    on(names: readonly NodeJS.Signals[], fn: (name: NodeJS.Signals) => void): () => void {
      const listener = (name: NodeJS.Signals) => void (names.includes(name) && fn(name));
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    send(name: NodeJS.Signals): void {
      const isIgnored = name !== "SIGHUP" && mayEnd;
      mayEnd ||= name !== "SIGHUP";
      if (!isIgnored) for (const listener of [...listeners]) listener(name);
    },
  };
}

export interface HurriedCommand extends Running {
  /** Moves its clock on until a condition is true. */
  until(isSo: () => boolean): Promise<void>;
  /** Moves its clock on until it has ended. */
  ended(): Promise<Ended>;
}

/** Starts a command on a clock that does not wait, so that minutes pass in moments. */
export function hurryCommand(
  args: readonly string[],
  env?: Record<string, string>,
): HurriedCommand {
  const { http, settle, closeHttp } = countingHttp();
  const clock = createVirtualClock(Date.now(), settle);
  const command = startCommand(args, env, clock, { ...http, close: closeHttp });
  let hasEnded = false;
  void command.gone.finally(() => (hasEnded = true));
  const until = async (isSo: () => boolean) => {
    while (!isSo() && !hasEnded) await clock.advance(STEP_MS);
  };
  return { ...command, until, ended: async () => (await until(() => false), command.gone) };
}

/** Small enough that a command which checks something from time to time sees it soon. */
const STEP_MS = 50;
