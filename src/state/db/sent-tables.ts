/**
 * Tables about messages that were sent: whom they called, what they stand under, and what of them
 * changes later.
 */

/** Whom a message called, one row each. */
export interface MentionsTable {
  message_id: string;
  /** As the sink writes it. */
  mention: string;
  sink: string;
  mentioned_at: number;
}

/** With which message a thread begins. */
export interface ThreadsTable {
  sink: string;
  thread_key: string;
  message_id: string;
  ends_at: number;
}

/** One for each alert at a sink that edits its messages, once its tweet changed. */
export interface EditsTable {
  delivery_id: number;
  /** JSON: what the message is to show of its tweet. */
  shown: string;
  /** The tweet's texts so far, each as `textVersion` names it, separated by spaces. */
  versions: string;
  /** `dropped`: given up until the tweet changes again. `refused`: the message cannot be edited. */
  state: "waiting" | "done" | "dropped" | "refused";
  revision: number;
  attempts: number;
  wanted_at: number;
  due_at: number;
  edited_at: number | null;
  /** JSON: what was last sent instead of the message's own body. */
  body: string | null;
  error: string;
}

/** One for each alert on a value that is to be repeated or resolved at a sink. */
export interface LevelsTable {
  event_id: string;
  sink: string;
  created_at: number;
  /** Null: it is not repeated. */
  repeat_ms: number | null;
  next_at: number | null;
  repeats: number;
  /**
   * JSON: the thresholds that it is about, by name; null in rows from before that was kept from the
   * first.
   */
  rules: string | null;
  /** When it was made, or repeated last; null in rows from before that was kept. */
  last_at: number | null;
  /** The alert that repeated it last. */
  last_event_id: string | null;
}
