/** A message as a chat's stand-in keeps it, and the permalinks people see in it. */

export interface ChatMessage {
  readonly id: string;
  /** The daemon's own id of it; "" where the chat has no place for one. */
  readonly key: string;
  /** Id of the message it answers, or of the thread it stands in; "" in the channel itself. */
  readonly thread: string;
  readonly atMs: number;
  /** Everything that is shown, as the vendor was sent it. */
  readonly shown: string;
}

/** Ids of the tweets whose permalinks are shown. */
export const linkedTweets = (messages: readonly ChatMessage[]): readonly string[] =>
  messages.flatMap(({ shown }) =>
    [...shown.matchAll(/https:\/\/x\.com\/\w+\/status\/(\d+)/g)].map(([, id]) => id ?? ""),
  );
