/**
 * The storage port for edits of sent messages. It stores the present state of tweets, and the
 * messages that must be edited to show it.
 */
import type { EditState } from "./edit-cause.ts";
import type { Json } from "./json.ts";
import type { DueMember } from "./outbox.ts";
import type { Tweet } from "./tweet.ts";

/** What a poll or recheck saw of a tweet. */
export type TweetSight =
  | { readonly kind: "seen"; readonly tweet: Tweet }
  | { readonly kind: "gone"; readonly tweetId: string };

/** The version of a tweet that a message shows or must show. */
export interface ShownTweet {
  readonly tweet: Tweet;
  readonly isGone: boolean;
  /** Whether its text differs from the one that was announced. */
  readonly isEdited: boolean;
}

/** An alert about a tweet at a sink that edits its messages. It was sent or is still to be sent. */
export interface EditableAlert {
  readonly deliveryId: string;
  readonly sink: string;
  /**
   * The version of the tweet in the newest wanted edit; without a wanted edit, the one in the
   * alert.
   */
  readonly shown: ShownTweet;
  /**
   * The fingerprints (`textVersion`) of the tweet's texts so far; empty if only the announced text
   * is known.
   */
  readonly versions: readonly string[];
  /** When an edit was last wanted, in epoch ms; null if none ever was. */
  readonly wantedAtMs: number | null;
  /** The earliest time of the next edit, in epoch ms; null if none was ever wanted. */
  readonly dueAtMs: number | null;
}

export interface WantedEdit {
  readonly deliveryId: string;
  readonly shown: ShownTweet;
  readonly versions: readonly string[];
  readonly wantedAtMs: number;
  readonly dueAtMs: number;
}

export interface DueEdit {
  readonly deliveryId: string;
  /** Increases with every wanted edit. */
  readonly revision: number;
  readonly messageId: string;
  /** The sink's own id of the message. */
  readonly ref: string;
  /** The sink's own id of the message's channel; null if the sink named none. */
  readonly channel: string | null;
  /** The alert as it was first sent. */
  readonly member: DueMember;
  /** The number of alerts in its message. */
  readonly alerts: number;
  readonly shown: ShownTweet;
  /** The number of failed attempts in a row. */
  readonly attempts: number;
  /** The current content of the message, without the line below it. */
  readonly body: Json;
  /** The line below it; empty for none. */
  readonly footer: string;
}

export type EditResult =
  /**
   * The message shows the wanted version. `isSent` is false if it did so before, so that no request
   * was needed.
   */
  | {
      readonly kind: "edited";
      readonly atMs: number;
      readonly nextAtMs: number;
      readonly body: Json;
      readonly isSent: boolean;
    }
  | { readonly kind: "retry"; readonly nextAtMs: number; readonly error: string }
  /**
   * The edit was given up. If `isFinal` is true, the message cannot be edited; otherwise a later
   * change of the tweet is tried again.
   */
  | {
      readonly kind: "dropped";
      readonly atMs: number;
      readonly error: string;
      readonly isFinal: boolean;
    };

/** Returns the edits that these sights require; none if the messages already show them. */
export type FindEdits = (sights: readonly TweetSight[]) => Promise<readonly WantedEdit[]>;

/** The state of the newest edit of a message. */
export interface EditHistory {
  readonly state: EditState;
  readonly dueAtMs: number;
  readonly editedAtMs: number | null;
  readonly error: string;
}

export interface EditStore {
  /**
   * Returns the alerts about these tweets that are or will be in a message of one of these sinks,
   * alone in that message.
   */
  editableAlerts(
    tweetIds: readonly string[],
    sinks: ReadonlySet<string>,
  ): Promise<readonly EditableAlert[]>;
  /** Returns the edit that has been due longest, among those of sent messages. */
  dueEdit(sink: string, nowMs: number): Promise<DueEdit | undefined>;
  /** Records the result. An edit of a newer revision that was wanted meanwhile stays due. */
  recordEdit(edit: Pick<DueEdit, "deliveryId" | "revision">, result: EditResult): Promise<void>;
  /** Returns when the next edit is due; null if none waits for a sent message. */
  nextEditAt(sink: string): Promise<number | null>;
}
