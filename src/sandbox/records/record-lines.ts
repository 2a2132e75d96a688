/**
 * Parses recorded resources from lines of NDJSON: `{"type": "user" | "tweet" | …, …}` with the
 * fields that the API sends. load-records.ts loads them into a world.
 */
import { isRaw, type Raw } from "../../api/read-value.ts";
import type { ChirpwatchError } from "../../model/errors.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";

/**
 * The types of records in the order in which they are loaded, so that a record is loaded after
 * everything that it refers to.
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
  /** The file and line of the record, for error messages. */
  readonly place: Place;
}

export interface Place {
  /** The name of the file in error messages. */
  readonly name: string;
  /** The line number, counted from 1. */
  readonly line: number;
}

/**
 * Returns the record of a line; undefined if the line has no `type` and so is no record.
 * @throws ChirpwatchError SANDBOX_DATA if the type is unknown
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
 * Creates an error such as "line 3 of world.ndjson is not JSON". `what` completes the sentence
 * after the name of the file; `cure` is a sentence about what to do.
 */
export const brokenLine = ({ name, line }: Place, what: string, cure: string): ChirpwatchError =>
  new ExitError(EXIT.usage, "SANDBOX_DATA", `line ${line} of ${name} ${what}`, { hint: cure });
