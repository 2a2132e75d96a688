/**
 * Runs a program with fixed arguments and an empty environment, in a process group of its own. The
 * whole group is killed when the program ends.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { allowedPrograms, type ProgramRequest, type ProgramResult } from "../model/outputs.ts";

/**
 * The maximum number of bytes that are kept of each output stream. The rest is read and dropped.
 */
const MAX_OUTPUT_BYTES = 65_536;
/** How long a process that left the group may keep the output open after the program has ended. */
const LINGER_MS = 200;

/**
 * Creates a function that runs programs. `allowed` lists the absolute paths of the programs that
 * may be run, separated by colons.
 */
export function createRunProgram(
  allowed: string | undefined,
): (request: ProgramRequest, signal: AbortSignal) => Promise<ProgramResult> {
  const paths = allowedPrograms(allowed);
  return async (request, signal) => {
    if (!paths.has(request.path))
      throw Object.assign(new Error("CHIRPWATCH_ALLOW_EXEC does not name it"), {
        code: "ENOTALLOWED",
      });
    return run(request, signal);
  };
}

function run(
  { path, args, stdin, timeoutMs }: ProgramRequest,
  signal: AbortSignal,
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, [...args], {
      env: {},
      cwd: "/",
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
    });
    const output = collect(child);
    let cause: "timeout" | "aborted" | undefined;
    const stop = (why: "timeout" | "aborted") => {
      cause ??= why;
      killGroup(child);
    };
    const onAbort = () => stop("aborted");
    const timer = setTimeout(() => stop("timeout"), timeoutMs);
    signal.addEventListener("abort", onAbort, { once: true });
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    child.on("error", (error) => {
      settle();
      reject(error);
    });
    child.on("exit", () => {
      killGroup(child);
      setTimeout(
        () => [child.stdout, child.stderr].forEach((stream) => stream?.destroy()),
        LINGER_MS,
      ).unref();
    });
    child.on("close", (code, name) => {
      settle();
      resolve({ end: cause ?? code ?? name ?? "an unknown signal", ...output() });
    });
    if (signal.aborted) onAbort();
    // Ignore errors here, because a program may end without reading its input.
    child.stdin?.on("error", () => undefined).end(stdin);
  });
}

function collect(child: ChildProcess): () => Pick<ProgramResult, "output" | "stdout"> {
  const chunks: { readonly stream: unknown; readonly chunk: Buffer }[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    // The limit is per stream, so that a long standard error does not displace the answer on
    // standard output.
    let size = 0;
    stream?.on("data", (chunk: Buffer) => {
      if (size < MAX_OUTPUT_BYTES)
        chunks.push({ stream, chunk: chunk.subarray(0, MAX_OUTPUT_BYTES - size) });
      size += chunk.length;
    });
  }
  const textOf = (kept: typeof chunks) =>
    Buffer.concat(kept.map(({ chunk }) => chunk)).toString("utf8");
  return () => ({
    output: textOf(chunks),
    stdout: textOf(chunks.filter(({ stream }) => stream === child.stdout)),
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process group has already ended.
  }
}
