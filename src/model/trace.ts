/**
 * Connects log lines: every run of a poll has an id, which its requests, events, routes and
 * messages have as `trace`.
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
  /** Remembers from which poll's current run events came. */
  remember(source: string, eventIds: Iterable<string>): void;
  /**
   * Returns the runs that events came from, each once. Those of an earlier process are not known.
   */
  ofEvents(eventIds: readonly string[]): readonly string[];
}
