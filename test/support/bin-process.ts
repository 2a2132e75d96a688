/**
 * Runs the built command as a process of its own, in a folder of its own, and reads its log lines.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type ChildPlace,
  type ChildProcess,
  type Ended,
  endChildren,
  type Running,
  runScript,
  startScript,
} from "./child-process.ts";
import { makeStateFolder } from "./state-folder.ts";
import { until } from "./until.ts";

/** The environment variable CHIRPWATCH_BIN selects another build than the checkout's. */
export const BIN = resolve(process.env["CHIRPWATCH_BIN"] ?? "dist/main.js");

export type BinProcess = ChildProcess & Logging;

export interface Logging {
  /** Returns the lines of standard error that are JSON. */
  readonly log: () => readonly LogLine[];
  /** Resolves with the first log line that has this message. */
  logged(message: string | RegExp): Promise<LogLine>;
}

export interface LogLine {
  readonly msg: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

const folders = new Set<string>();

/** Starts a command that runs until it is killed. */
export function startBin(args: readonly string[], place: ChildPlace): BinProcess {
  const child = startScript([builtBin(), ...args], place);
  return { ...child, ...loggingOf(child) };
}

/** Parses the log lines that a process writes to its error output. */
export function loggingOf(child: Running): Logging {
  const lines: LogLine[] = [];
  let readTo = 0;
  const log = () => {
    const written = child.err();
    const end = written.lastIndexOf("\n") + 1;
    lines.push(...written.slice(readTo, end).split("\n").flatMap(parseLine));
    readTo = end;
    return [...lines];
  };
  return {
    log,
    logged: (message) =>
      until(
        `the log line ${message}`,
        () =>
          log().find(({ msg }) =>
            typeof message === "string" ? msg === message : message.test(msg),
          ),
        child.err,
      ),
  };
}

/** Runs a command to its end. */
export const runBin = (args: readonly string[], place: ChildPlace): Promise<Ended> =>
  runScript([builtBin(), ...args], place);

function builtBin(): string {
  if (!existsSync(BIN))
    throw new Error(
      `${BIN} is missing: run \`npm run build\` first, these tests drive the built program`,
    );
  return BIN;
}

function parseLine(line: string): readonly LogLine[] {
  if (!line.startsWith("{")) return [];
  try {
    return [JSON.parse(line) as LogLine];
  } catch {
    return [];
  }
}

/** Creates an empty folder with these files in it, in memory or in `within`. */
export function makeFolder(files: Record<string, string> = {}, within?: string): string {
  const folder = makeStateFolder(within);
  folders.add(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Ends what still runs and removes the folders: for afterEach. */
export async function cleanUp(): Promise<void> {
  await endChildren();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
}
