/** What an online check of a chat's tokens found. */

/** A problem that keeps a sink, its buttons or `chat.allow` from working. */
export interface ChatFinding {
  /** The sink that has the problem. */
  readonly sink: string;
  /** A sentence that ends with the cure. */
  readonly message: string;
}

export interface ChatFindings {
  readonly findings: readonly ChatFinding[];
  /** What could not be checked, as a clause without a full stop. */
  readonly notes: readonly string[];
}
