/**
 * The base class of every error that this project throws on purpose. The edge classifies an error
 * once; other code decides by `retry`.
 */

/**
 * Whether trying again can help: never, later on the caller's own schedule, or after this many
 * milliseconds.
 */
export type Retry = "no" | "later" | { readonly afterMs: number };

export interface ErrorDetails {
  /** What the operator can do about it, in one sentence. */
  readonly hint?: string | undefined;
  readonly retry?: Retry | undefined;
  readonly cause?: unknown;
  /** Facts for the log, never secrets. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export class ChirpwatchError extends Error {
  /** A stable code in SCREAMING_SNAKE_CASE, listed in docs/errors.md. */
  readonly code: string;
  readonly retry: Retry;
  readonly hint: string;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.retry = details.retry ?? "no";
    this.hint = details.hint ?? "";
    this.fields = details.fields ?? {};
  }
}

/** Returns the text of anything that was thrown. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
