/** The tables about sent messages: mentions, threads, later changes, and what people said to them. */
import type { MarkKind } from "../../model/marks.ts";

/** What people said about an event. An undone mark remains, so that others see when it ended. */
export interface EventMarksTable {
  event_id: string;
  kind: MarkKind;
  marked_at: number;
  marked_by: string;
  /** Where the person was: `command line`, `API`, `page`. */
  marked_from: string;
  undone_at: number | null;
}

/** The mentions in messages, one row each. */
export interface MentionsTable {
  message_id: string;
  /** The mention as the sink writes it. */
  mention: string;
  sink: string;
  mentioned_at: number;
}

/** The message that a thread begins with. */
export interface ThreadsTable {
  sink: string;
  thread_key: string;
  message_id: string;
  ends_at: number;
}

/**
 * The edits of alerts at sinks that edit their messages. A row is created when the tweet of an
 * alert has changed.
 */
export interface EditsTable {
  delivery_id: number;
  /** JSON: what the message should show of its tweet. */
  shown: string;
  /** The versions of the tweet's text so far, as `textVersion` names them, separated by spaces. */
  versions: string;
  /** `dropped`: given up until the tweet changes again. `refused`: the message cannot be edited. */
  state: "waiting" | "done" | "dropped" | "refused";
  revision: number;
  attempts: number;
  wanted_at: number;
  due_at: number;
  edited_at: number | null;
  /** JSON: what was last sent in place of the message's own body. */
  body: string | null;
  error: string;
}

/** The alerts on values that are to be repeated or resolved at a sink. */
export interface LevelsTable {
  event_id: string;
  sink: string;
  created_at: number;
  /** Null if it is not repeated. */
  repeat_ms: number | null;
  next_at: number | null;
  repeats: number;
  /** JSON: the thresholds that it is about, by name; null in rows from before this was stored. */
  rules: string | null;
  /** When it was created or last repeated; null in rows from before this was stored. */
  last_at: number | null;
  /** The alert that last repeated it. */
  last_event_id: string | null;
}
