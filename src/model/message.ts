/**
 * An event as a message for people, in plain text. Nothing is escaped or shortened yet; the sinks
 * do that.
 */
import type { TextPiece } from "./template.ts";

export interface MessageAuthor {
  readonly name: string;
  /** The handle without @. */
  readonly handle: string;
  readonly url: string;
  readonly avatarUrl: string;
}

/** Accounts that joined or left one list, or the posts of a report: each is a line with a link. */
export interface LinkList {
  readonly people: readonly Person[];
  /** How many further entries the list leaves out. */
  readonly more: number;
  /** True if sinks without links write the addresses out. */
  readonly hasPlainLinks?: boolean;
}

/** A line of a `LinkList`: an account or a post. */
export interface Person {
  /** The text of the link, such as `Bob (@bob)`. */
  readonly name: string;
  readonly url: string;
  /** A short fact, such as "12.3K followers"; may be empty. */
  readonly note: string;
}

export interface NeutralMessage {
  /** A single line, such as "Alice (@alice) posted" or "@acme has a new follower: Bob (@bob)". */
  readonly title: string;
  readonly author?: MessageAuthor;
  /** The plain text of the tweet, bio …; may be empty. */
  readonly body: string;
  /**
   * The body that a template rendered, if it contains moments. Some sinks show a moment in each
   * reader's time zone.
   */
  readonly bodyPieces?: readonly TextPiece[];
  /** The permalink of the subject. */
  readonly url?: string | undefined;
  /** The page on which people act on the alert. Absent if the message does not link to it. */
  readonly actionsUrl?: string | undefined;
  readonly media: readonly { readonly url: string; readonly kind: string }[];
  /**
   * The quoted or retweeted tweet, or the one replied to. Without a text it is a link, because the
   * title already names its author.
   */
  readonly context?:
    | { readonly label: string; readonly body: string; readonly url?: string }
    | undefined;
  /** Short facts: likes, followers, changes … */
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  readonly occurredAtMs: number;
  /** False if the title says when, so that sinks show no time. */
  readonly isTimed?: boolean;
  /**
   * `occurredAtMs` as text for the sink's readers, if the sink has a locale or time zone of its
   * own.
   */
  readonly occurredAt?: string | undefined;
  /** The accounts that the title counts, or the posts that the body announces. */
  readonly list?: LinkList;
  /** The ids of every watch that matched. */
  readonly watches: readonly string[];
  readonly severity: string;
}
