/**
 * Joins log lines: every run of a poll has an id, which its requests, events, routes and messages
 * carry as `trace`.
 */
export interface Trace {
  /** A run of a poll begins. Polls named as members share its id until it ends. */
  begin(pollKey: string, memberKeys?: readonly string[]): string;
  end(pollKey: string, memberKeys?: readonly string[]): void;
  /** The run that a request's source belongs to; undefined for what no poll asks for. */
  ofSource(source: string): string | undefined;
  /** Remembers which poll's run, under way now, events came from. */
  remember(source: string, eventIds: Iterable<string>): void;
  /** The runs that events came from, each once; those of a former process are not known. */
  ofEvents(eventIds: readonly string[]): readonly string[];
}
