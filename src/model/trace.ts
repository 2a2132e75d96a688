/**
 * Connects log lines of one run of a poll. Every run has an id, which the log lines about its
 * requests, events, routes and messages have as `trace`.
 */
export interface Trace {
  /**
   * Begins a run of a poll and returns its id. The polls in `memberKeys` share the id until the run
   * ends.
   */
  begin(pollKey: string, memberKeys?: readonly string[]): string;
  end(pollKey: string, memberKeys?: readonly string[]): void;
  /** Returns the run that a request's source belongs to; undefined if no poll made the request. */
  ofSource(source: string): string | undefined;
  /** Records that events came from the current run of a poll, given by its source. */
  remember(source: string, eventIds: Iterable<string>): void;
  /**
   * Returns the runs from which events came, each once. Runs of an earlier process are not known.
   */
  ofEvents(eventIds: readonly string[]): readonly string[];
}
