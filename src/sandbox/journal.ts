/**
 * A world in a file: seed and start on the first line, then what was changed by hand, one JSON object a line (NDJSON). Replaying it
 * gives the same world. Owns the lines; who reads and writes the file is the caller's.
 */
import { ChirpwatchError } from "../model/errors.ts";
import type { Pace } from "./world/demo-pace.ts";

/** Where a world is kept between two starts. */
export interface WorldData {
  /** The file's text; "" when it is new. */
  readonly text: string;
  /** Adds one line, given with its line break. */
  append(line: string): void;
}

export interface WorldHeader {
  readonly seed: number;
  readonly accounts: number;
  readonly start_ms: number;
  readonly pace: Pace;
}

export interface JournalEntry {
  readonly at_ms: number;
  readonly method: string;
  /** Below `/_sandbox/`. */
  readonly path: string;
  readonly body: string;
}

export interface Journal {
  readonly header: WorldHeader | undefined;
  readonly entries: readonly JournalEntry[];
}

/** Control requests that change the world; keys, faults and the clock are of one run only. */
const KEPT = /^(?:POST|DELETE) (?:tweets|restore|follows|scores|accounts)\b/;

export const isKept = (method: string, path: string): boolean => KEPT.test(`${method} ${path}`);

export const journalLine = (line: WorldHeader | JournalEntry): string => `${JSON.stringify(line)}\n`;

/** @throws ChirpwatchError SANDBOX_DATA naming the line that cannot be read. */
export function readJournal(text: string): Journal {
  const lines = text.split("\n").map((line, index) => ({ line, number: index + 1 }));
  const [first, ...rest] = lines.filter(({ line }) => line.trim() !== "");
  if (first === undefined) return { header: undefined, entries: [] };
  const header = parseLine<WorldHeader>(first, ["seed", "accounts", "start_ms", "pace"]);
  return { header, entries: rest.map((line) => parseLine<JournalEntry>(line, ["at_ms", "method", "path", "body"])) };
}

function parseLine<T>({ line, number }: { readonly line: string; readonly number: number }, names: readonly (keyof T & string)[]): T {
  try {
    const value = JSON.parse(line) as T;
    if (names.every((name) => value[name] !== undefined)) return value;
  } catch {
    // Told below, together with lines that are JSON of another shape.
  }
  throw new ChirpwatchError("SANDBOX_DATA", `line ${number} of the sandbox's data is not a line of a saved world`, {
    hint: "Remove the line, or start with a new file.",
  });
}
