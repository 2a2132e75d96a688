/** The tables about sent messages: mentions, threads, edits, and acknowledgements. */
import type { EscalationEnd } from "../../model/escalation.ts";
import type { MarkKind } from "../../model/mark.ts";

/**
 * The acknowledgements of events. An acknowledgement that was undone remains, so that it can be
 * shown when it ended.
 */
export interface EventMarksTable {
  event_id: string;
  kind: MarkKind;
  marked_at: number;
  marked_by: string;
  /** Where the person was: `command line`, `API`, `page`. */
  marked_from: string;
  undone_at: number | null;
}

/** The clicks on buttons in chats that took effect. */
export interface ClicksTable {
  /** The vendor's own id of the click, with the vendor's name. */
  id: string;
  person: string;
  clicked_at: number;
}

/** The mentions in messages, one row each. */
export interface MentionsTable {
  message_id: string;
  /** The mention in the sink's own notation. */
  mention: string;
  sink: string;
  mentioned_at: number;
}

/** The threads of sinks, each with the message that it begins with. */
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
  /** JSON: the facts about the tweet that the message should show. */
  shown: string;
  /**
   * The versions that the tweet's text has had, as `textVersion` names them, separated by spaces.
   */
  versions: string;
  /** `dropped`: given up until the tweet changes again. `refused`: the message cannot be edited. */
  state: "waiting" | "done" | "dropped" | "refused";
  revision: number;
  attempts: number;
  wanted_at: number;
  due_at: number;
  edited_at: number | null;
  /**
   * JSON: the body that the last edit sent in place of the message's own; null before the first
   * edit.
   */
  body: string | null;
  error: string;
}

/**
 * The lines below messages that say who acknowledged their alerts. Only messages whose line may
 * have changed have a row.
 */
export interface MessageFootersTable {
  message_id: string;
  sink: string;
  /** `dropped`: given up until the line changes again. `refused`: the message cannot be edited. */
  state: "waiting" | "done" | "dropped" | "refused";
  revision: number;
  attempts: number;
  due_at: number;
  /** The line that an edit has given the message; null before the first edit. */
  shown: string | null;
  error: string;
}

/** The alerts that are escalated unless somebody acknowledges them. */
export interface EscalationsTable {
  delivery_id: number;
  /** The message with the alert; null while a sink that takes no messages has none. */
  message_id: string | null;
  /** From when `after` of the next step counts. */
  base_at: number;
  /** Since when the alert is not acknowledged, or its sink does not take it. */
  begun_at: number;
  /** 1 if the next step does not wait for its `after`, because the message was given up. */
  at_once: number;
  /** When it is checked next; null if nothing is to come. */
  due_at: number | null;
  revision: number;
  /** JSON: the steps to come; null before they are planned. */
  plan: string | null;
  /** JSON: the steps that are over. */
  taken: string;
  ended: EscalationEnd;
}

/** The alerts on values that a sink repeats or resolves. */
export interface LevelsTable {
  event_id: string;
  sink: string;
  created_at: number;
  /** The time between two repeats; null if the alert is not repeated. */
  repeat_ms: number | null;
  next_at: number | null;
  repeats: number;
  /**
   * JSON: the thresholds that the alert is about, by name; null in rows that are older than this
   * column.
   */
  rules: string | null;
  /** When the alert was created or last repeated; null in rows that are older than this column. */
  last_at: number | null;
  /** The event of the last repeat; null if the alert was not repeated yet. */
  last_event_id: string | null;
}
