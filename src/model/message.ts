/**
 * One event read aloud, for people, before any sink dresses it: plain text, unescaped, untrimmed.
 */
import type { TextPiece } from "./template.ts";

export interface MessageAuthor {
  readonly name: string;
  /** Without @. */
  readonly handle: string;
  readonly url: string;
  readonly avatarUrl: string;
}

/** Accounts that came onto one list or left it, or the posts of a report: a line with a link each. */
export interface LinkList {
  readonly people: readonly Person[];
  /** How many more there are. */
  readonly more: number;
  /** True if sinks without links write the addresses out. */
  readonly hasPlainLinks?: boolean;
}

/** A line of such a list. */
export interface Person {
  /** `Bob (@bob)`. */
  readonly name: string;
  readonly url: string;
  /** "12.3K followers"; may be empty. */
  readonly note: string;
}

export interface NeutralMessage {
  /** One line: "Alice (@alice) posted", "@acme has a new follower: Bob (@bob)". */
  readonly title: string;
  readonly author?: MessageAuthor;
  /** Plain text of the tweet, bio … ; may be empty. */
  readonly body: string;
  /**
   * The body as a template wrote it, where it holds moments: for sinks that show these in each
   * reader's time zone.
   */
  readonly bodyPieces?: readonly TextPiece[];
  /** Permalink of the subject. */
  readonly url?: string;
  readonly media: readonly { readonly url: string; readonly kind: string }[];
  /** The quoted or retweeted tweet, or the one replied to. */
  readonly context?: { readonly label: string; readonly body: string; readonly url?: string };
  /** Short facts: likes, followers, delta … */
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  readonly occurredAtMs: number;
  /**
   * The same as the sink's readers write it, where the sink has a locale or a time zone of its own.
   */
  readonly occurredAt?: string;
  /** The accounts that the title counts, or the posts that the body announces. */
  readonly list?: LinkList;
  /** Ids of every watch that matched. */
  readonly watches: readonly string[];
  readonly severity: string;
}
