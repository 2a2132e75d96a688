/**
 * `chirpwatch sandbox`: starts a data service with a simulated world, for tests and for developers.
 */
import { type Command, InvalidArgumentError } from "commander";
import { errorText } from "../../model/errors.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { appendToFile } from "../../runtime/write-files.ts";
import type { WorldData } from "../../sandbox/records/journal.ts";
import { startSandbox } from "../../sandbox/sandbox.ts";
import { MAX_ACCOUNTS } from "../../sandbox/world/people/accounts.ts";
import type { CliContext } from "../terminal/context.ts";

interface SandboxFlags {
  readonly listen: { readonly host: string; readonly port: number };
  readonly key: string;
  readonly seed: number;
  readonly accounts: number;
  readonly quota: number;
  readonly data?: string;
}

export function addSandbox(program: Command, context: CliContext): void {
  program
    .command("sandbox")
    .description("serve the API v3 from a simulated world; prints one JSON line when ready")
    .option(
      "--listen <address>",
      "loopback address and port",
      parseListen,
      parseListen("127.0.0.1:8787"),
    )
    .option("--key <key>", "the API key it accepts", parseKey, "sandbox")
    .option(
      "--seed <number>",
      "seed of the simulated world: the same seed gives the same world",
      parseCount,
      1,
    )
    .option("--accounts <number>", "how many accounts", parseAccounts, 200)
    .option("--quota <number>", "requests a month of each key", parseCount, 100_000)
    .option(
      "--data <file>",
      "keep the world in a file (NDJSON) and start from it if it exists; recorded users and tweets in it are served too",
    )
    .addHelpText(
      "after",
      "\nExample:\n  chirpwatch sandbox --listen 127.0.0.1:8787 --key KEY --seed 1 --accounts 200",
    )
    .action((flags: SandboxFlags) => serve(context, flags));
}

async function serve(context: CliContext, flags: SandboxFlags): Promise<void> {
  const { host, port } = flags.listen;
  const sandbox = await startSandbox({
    clock: context.clock,
    host,
    port,
    keys: [flags.key],
    seed: flags.seed,
    accounts: flags.accounts,
    quota: flags.quota,
    ...(flags.data === undefined ? {} : { data: await openWorld(context, flags.data) }),
  });
  context.out(JSON.stringify({ url: sandbox.url, key: sandbox.key }));
  await new Promise<void>((resolve) => {
    context.onSignals(["SIGTERM", "SIGINT"], () => resolve());
  });
  await sandbox.close();
}

/**
 * Opens the world's file. The file is created here, so that the command fails now if it cannot be
 * written, and not after the first change.
 */
async function openWorld(context: CliContext, path: string): Promise<WorldData> {
  try {
    appendToFile(path, "");
    return {
      name: path,
      text: await context.files.readText(path),
      append: (line) => appendToFile(path, line),
    };
  } catch (error) {
    throw new ExitError(
      EXIT.cannotCreate,
      "SANDBOX_FILE",
      `${path} cannot be used: ${errorText(error)}`,
      {
        hint: "Name a file that can be read and written, in a folder that exists.",
        cause: error,
      },
    );
  }
}

function parseListen(text: string): { host: string; port: number } {
  const match = /^(?:(.+):)?(\d{1,5})$/.exec(text);
  if (match === null || Number(match[2]) > 65_535)
    throw new InvalidArgumentError("write address:port, e.g. 127.0.0.1:8787");
  return { host: (match[1] ?? "127.0.0.1").replace(/^\[|\]$/g, ""), port: Number(match[2]) };
}

function parseCount(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("write a whole number");
  return Number(text);
}

function parseAccounts(text: string): number {
  const count = parseCount(text);
  if (count > MAX_ACCOUNTS)
    throw new InvalidArgumentError(`a world has at most ${MAX_ACCOUNTS} accounts`);
  return count;
}

function parseKey(text: string): string {
  if (text === "")
    throw new InvalidArgumentError("write a key; the header of a request cannot be empty");
  return text;
}
