/** A command inside this process: a hundredth of what a process costs, where only what it says and returns matters. The e2e tests start processes. */
import { createContext } from "../../src/cli/terminal/context.ts";
import { runCli } from "../../src/cli/program.ts";
import { createHttpAgent } from "../../src/runtime/http-agent.ts";
import { createLogger, type LogStream } from "../../src/runtime/logger.ts";

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

/** Runs it to its end, in that folder and with nothing else in its environment. One after the other: they share the working folder. */
export function runCommand(args: readonly string[], place: Place): Promise<Ran> {
  const ran = underWay.then(() => run(args, place));
  underWay = ran.catch(() => undefined);
  return ran;
}

async function run(args: readonly string[], { cwd, env = {} }: Place): Promise<Ran> {
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
  const http = createHttpAgent();
  const before = process.cwd();
  const forgetSignals = rememberListeners();
  process.chdir(cwd);
  try {
    const code = await runCli(["node", "chirpwatch", ...args], {
      ...shared,
      env,
      http,
      out: (text) => void (out += `${text}\n`),
      err: (text) => void (err += `${text}\n`),
      logger: (level = "info") => createLogger({ stream, level, format: "json" }),
    });
    return { code, out, err };
  } finally {
    process.chdir(before);
    forgetSignals();
    await http.close();
  }
}

/** A daemon that refuses to start leaves those to the end of its process. Gives the way back to the ones there are now. */
function rememberListeners(): () => void {
  const signals = (["SIGTERM", "SIGINT"] as const).map((signal) => ({ signal, known: process.listeners(signal) }));
  return () => {
    for (const { signal, known } of signals)
      for (const listener of process.listeners(signal)) if (!known.includes(listener)) process.off(signal, listener);
  };
}
