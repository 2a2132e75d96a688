/**
 * Edits of sent messages, as a port: what is now known of their tweets, and which messages must
 * show it.
 */
import type { EditState } from "./edit-cause.ts";
import type { Json } from "./json.ts";
import type { DueMember } from "./outbox.ts";
import type { Tweet } from "./tweet.ts";

/** What a poll or recheck saw of a tweet. */
export type TweetSight =
  | { readonly kind: "seen"; readonly tweet: Tweet }
  | { readonly kind: "gone"; readonly tweetId: string };

/** What a message shows of its tweet, or must show. */
export interface ShownTweet {
  readonly tweet: Tweet;
  readonly isGone: boolean;
  /** Whether its text differs from the one that was announced. */
  readonly isEdited: boolean;
}

/** The alert on a tweet at a sink that edits its messages. It was sent or is still to be sent. */
export interface EditableAlert {
  readonly deliveryId: string;
  readonly sink: string;
  /** The version of the tweet that the newest wanted edit shows, or else the announced one. */
  readonly shown: ShownTweet;
  /**
   * The fingerprints (`textVersion`) of the tweet's texts so far; empty if only the announced text
   * is known.
   */
  readonly versions: readonly string[];
  /** When an edit was last wanted; null if none ever was. */
  readonly wantedAtMs: number | null;
  /** The earliest time of the next edit; null if none was ever wanted. */
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
  /** The alert as it was announced. */
  readonly member: DueMember;
  /** The number of alerts in its message. */
  readonly alerts: number;
  readonly shown: ShownTweet;
  /** The number of failed attempts in a row. */
  readonly attempts: number;
  /** The current content of the message. */
  readonly body: Json;
}

export type EditResult =
  /** `isSent` is false if the message already showed everything. */
  | {
      readonly kind: "edited";
      readonly atMs: number;
      readonly nextAtMs: number;
      readonly body: Json;
      readonly isSent: boolean;
    }
  | { readonly kind: "retry"; readonly nextAtMs: number; readonly error: string }
  /** `isFinal`: the message cannot be edited. Otherwise, a later change is tried again. */
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
   * Returns the alerts on these tweets that one of these sinks shows, or will show, in a message of
   * their own. Wanted edits are stored by a poll's commit.
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
