/** A message as the stand-in for a chat stores it, and the permalinks that people see in it. */

export interface ChatMessage {
  readonly id: string;
  /** The daemon's own id of the message; "" if the chat has no place for one. */
  readonly key: string;
  /** The id of the message it answers, or of the thread it is in; "" in the channel itself. */
  readonly thread: string;
  readonly atMs: number;
  /** Everything that is shown, as the vendor received it. */
  readonly shown: string;
}

/** Returns the ids of the tweets whose permalinks are shown. */
export const linkedTweets = (messages: readonly ChatMessage[]): readonly string[] =>
  messages.flatMap(({ shown }) =>
    [...shown.matchAll(/https:\/\/x\.com\/\w+\/status\/(\d+)/g)].map(([, id]) => id ?? ""),
  );
