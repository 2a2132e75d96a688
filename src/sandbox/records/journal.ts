/**
 * Reads and writes the format of a saved world: a file of JSON objects, one per line (NDJSON), with
 * the seed and start, the recorded resources, and the control requests that changed the world, in
 * order. From these lines the sandbox creates the same world again. The caller reads and writes the
 * file.
 */
import { isRaw } from "../../api/read-value.ts";
import { brokenLine, type Place, readRecordLine, type RecordLine } from "./record-lines.ts";

/** The file in which a world is kept between two starts of the sandbox. */
export interface WorldData {
  /** The name of the file, for errors. */
  readonly name?: string;
  /** The content of the file; "" for a new file. */
  readonly text: string;
  /** Appends a line to the file. `line` includes its line break. */
  append(line: string): void;
}

export interface WorldHeader {
  readonly seed: number;
  readonly accounts: number;
  readonly start_ms: number;
}

export interface JournalEntry {
  readonly at_ms: number;
  readonly method: string;
  /** The path below `/_sandbox/`. */
  readonly path: string;
  readonly body: string;
}

export interface Journal {
  readonly header: WorldHeader | undefined;
  readonly entries: readonly JournalEntry[];
  readonly records: readonly RecordLine[];
}

/**
 * Matches the control requests that change the world and are therefore saved. Requests about keys,
 * faults and the clock are not saved, because their effect ends with the process.
 */
const KEPT =
  /^(?:POST|PATCH|DELETE) (?:tweets|articles|restore|follows|scores|accounts|spaces|trends|lists|communities|members)\b/;

export const isKept = (method: string, path: string): boolean => KEPT.test(`${method} ${path}`);

export const journalLine = (line: WorldHeader | JournalEntry): string =>
  `${JSON.stringify(line)}\n`;

/**
 * Parses a saved world. `name`: the name of the file in error messages.
 * @throws ChirpwatchError SANDBOX_DATA, which names the line that cannot be parsed
 */
export function readJournal(text: string, name = "the sandbox's data"): Journal {
  const journal: { header?: WorldHeader; entries: JournalEntry[]; records: RecordLine[] } = {
    entries: [],
    records: [],
  };
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const place = { name, line: index + 1 };
    const value = parseLine(line, place);
    const record = readRecordLine(value, place);
    if (record !== undefined) journal.records.push(record);
    else if (hasAll<WorldHeader>(value, HEADER_NAMES)) journal.header ??= value;
    else if (hasAll<JournalEntry>(value, ENTRY_NAMES)) journal.entries.push(value);
    else throw brokenLine(place, "is neither a line of a saved world nor a record", CURE);
  }
  return { header: journal.header, entries: journal.entries, records: journal.records };
}

const HEADER_NAMES = ["seed", "accounts", "start_ms"] as const;
const ENTRY_NAMES = ["at_ms", "method", "path", "body"] as const;
const CURE =
  'Remove the line, or write a record: one JSON object with a "type", such as {"type":"user","id":"1","username":"alice"}.';

function parseLine(line: string, place: Place): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw brokenLine(place, "is not JSON", CURE);
  }
}

const hasAll = <T>(value: unknown, names: readonly (keyof T & string)[]): value is T =>
  isRaw(value) && names.every((name) => value[name] !== undefined);
