/** The error of a query that cannot be read. */
import { ChirpwatchError } from "../model/errors.ts";

/**
 * Thrown when a query cannot be read. `position` is the offset of the character where reading
 * stopped, from 0.
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
