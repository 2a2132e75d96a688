/**
 * The sandbox and its control API: as a process of its own, as a command in this process, or
 * without the command if a test is not about it.
 */
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { startBin } from "./bin-process.ts";
import { expectAlive, type Running } from "./child-process.ts";
import { startCommand } from "./run-command.ts";
import { until } from "./until.ts";

export interface SandboxProcess {
  readonly url: string;
  readonly key: string;
  /** Sends one control request. A body makes it a POST, unless another method is named. */
  control(path: string, body?: object, method?: string): Promise<any>;
  /**
   * Returns the billed requests so far. Asks again if a daemon beside it has used up the rate of
   * that second.
   */
  billed(): Promise<number>;
}

/** More requests than polls every second make in a month, so that the quota slows nothing down. */
const QUOTA = 1_000_000_000;

const argsWith = (flags: readonly string[]) => [
  "sandbox",
  "--listen",
  "127.0.0.1:0",
  "--key",
  "K1",
  "--quota",
  String(QUOTA),
  ...flags,
];

export const startSandboxProcess = (cwd: string): Promise<SandboxProcess> =>
  withControl(startBin(argsWith([]), { cwd }));

/** Runs the command in this process. Paths in `flags` must be absolute. */
export const startSandboxCommand = (flags: readonly string[] = []): Promise<SandboxProcess> =>
  withControl(expectAlive(`sandbox ${flags.join(" ")}`, startCommand(argsWith(flags)), "SIGTERM"));

async function withControl(command: Running): Promise<SandboxProcess> {
  const line = await until(
    "the sandbox's line",
    () => /^.+\n/.exec(command.out())?.[0],
    command.err,
  );
  const { url, key } = JSON.parse(line) as { url: string; key: string };
  return { url, key, control: controlOf(url), billed: billedBy(url, key) };
}

/** Starts a sandbox in this process with the settings of the command. The caller closes it. */
export async function startSandboxHere(
  quota = QUOTA,
): Promise<SandboxProcess & { close(): Promise<void> }> {
  const { url, key, close } = await startSandbox({
    clock: createSystemClock(),
    keys: ["K1"],
    accounts: 200,
    quota,
  });
  return { url, key, control: controlOf(url), billed: billedBy(url, key), close };
}

function controlOf(url: string): SandboxProcess["control"] {
  return async (path, body, method = "POST") => {
    const init = body === undefined ? {} : { method, body: JSON.stringify(body) };
    const answer = await fetch(`${url}/_sandbox/${path}`, init);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`sandbox ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
}

function billedBy(url: string, key: string): SandboxProcess["billed"] {
  return async () => {
    const usage = await until("what the key has used", async () => {
      const answer = await fetch(`${url}/v3/key-usage-info`, { headers: { ApiKey: key } });
      const body = (await answer.json()) as { key_requests: number };
      return answer.status === 200 ? body : undefined;
    });
    return usage.key_requests;
  };
}
