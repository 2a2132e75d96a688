import { ChirpwatchError } from "../model/errors.ts";

/**
 * Thrown when a query cannot be parsed. `position` is the offset of the character where parsing
 * stopped, counted from 0; the message counts from 1.
 */
export class QueryError extends ChirpwatchError {
  readonly position: number;
  constructor(message: string, position: number, hint: string) {
    super("QUERY_SYNTAX", `${message} (at character ${position + 1})`, {
      hint,
      fields: { position },
    });
    this.position = position;
  }
}
