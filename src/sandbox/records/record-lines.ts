/**
 * Recorded resources as lines of NDJSON: `{"type": "user" | "tweet" | …, …}` with the fields of the
 * API. load-records.ts puts them into a world.
 */
import { isRaw, type Raw } from "../../api/read-value.ts";
import type { ChirpwatchError } from "../../model/errors.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";

/**
 * The types in the order in which they are loaded: whatever a line refers to is loaded before it.
 */
export const RECORD_TYPES = [
  "user",
  "tweet",
  "list",
  "community",
  "follow",
  "space",
  "article",
  "trend",
  "score",
  "about",
] as const;
export type RecordType = (typeof RECORD_TYPES)[number];

export interface RecordLine {
  readonly type: RecordType;
  readonly fields: Raw;
  /** The file and line of the record, for errors. */
  readonly place: Place;
}

export interface Place {
  /** What an error calls the text, such as the name of its file. */
  readonly name: string;
  /** The line number, counted from 1. */
  readonly line: number;
}

/**
 * Returns the record of a line; undefined if it has no `type`.
 * @throws ChirpwatchError SANDBOX_DATA for an unknown type
 */
export function readRecordLine(value: unknown, place: Place): RecordLine | undefined {
  if (!isRaw(value) || value["type"] === undefined) return undefined;
  const { type, ...fields } = value;
  const known = RECORD_TYPES.find((each) => each === type);
  if (known === undefined)
    throw brokenLine(
      place,
      `is of type ${JSON.stringify(type)}`,
      `Write one of ${RECORD_TYPES.join(", ")}.`,
    );
  return { type: known, fields, place };
}

/**
 * Creates the error "line 3 of world.ndjson …": `what` completes that sentence, `cure` is a
 * sentence of its own.
 */
export const brokenLine = ({ name, line }: Place, what: string, cure: string): ChirpwatchError =>
  new ExitError(EXIT.usage, "SANDBOX_DATA", `line ${line} of ${name} ${what}`, { hint: cure });
