/**
 * Edits of messages that were sent, as a port: what is known of their tweets by now, and which
 * message is to show it.
 */
import type { EditState } from "./edit-cause.ts";
import type { Json } from "./json.ts";
import type { DueMember } from "./outbox.ts";
import type { Tweet } from "./tweet.ts";

/** What a poll or a recheck saw of a tweet. */
export type TweetSight =
  | { readonly kind: "seen"; readonly tweet: Tweet }
  | { readonly kind: "gone"; readonly tweetId: string };

/** What a message shows of its tweet, or is to show. */
export interface ShownTweet {
  readonly tweet: Tweet;
  readonly isGone: boolean;
  /** Its text is not the one that was announced. */
  readonly isEdited: boolean;
}

/** The alert on a tweet at a sink that edits its messages: sent, or still on its way. */
export interface EditableAlert {
  readonly deliveryId: string;
  readonly sink: string;
  /** The newest that was wanted, or as it was announced. */
  readonly shown: ShownTweet;
  /**
   * Its texts so far, each as `textVersion` names it; empty where only the announced one is known.
   */
  readonly versions: readonly string[];
  /** When an edit was last wanted, and the earliest time of the next; null where none ever was. */
  readonly wantedAtMs: number | null;
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
  /** Grows with every wanted edit. */
  readonly revision: number;
  readonly messageId: string;
  /**
   * The sink's own ids of the message and of the place it stands in; that place is null where the
   * sink named none.
   */
  readonly ref: string;
  readonly channel: string | null;
  /** Its alert as it was announced. */
  readonly member: DueMember;
  /** How many its message holds. */
  readonly alerts: number;
  readonly shown: ShownTweet;
  /** Failed in a row. */
  readonly attempts: number;
  /** What the message holds now. */
  readonly body: Json;
}

export type EditResult =
  /** `isSent` is false where the message showed all of it already. */
  | {
      readonly kind: "edited";
      readonly atMs: number;
      readonly nextAtMs: number;
      readonly body: Json;
      readonly isSent: boolean;
    }
  | { readonly kind: "retry"; readonly nextAtMs: number; readonly error: string }
  /** `isFinal`: the message cannot be edited; else a later change is tried again. */
  | {
      readonly kind: "dropped";
      readonly atMs: number;
      readonly error: string;
      readonly isFinal: boolean;
    };

/** Edits that such sights make wanted; none where they show what the messages show. */
export type FindEdits = (sights: readonly TweetSight[]) => Promise<readonly WantedEdit[]>;

/** What became of the newest edit of a message. */
export interface EditHistory {
  readonly state: EditState;
  readonly dueAtMs: number;
  readonly editedAtMs: number | null;
  readonly error: string;
}

export interface EditStore {
  /**
   * Alerts on these tweets that such a sink shows in a message of their own, or will. Wanted edits
   * are part of a poll's commit.
   */
  editableAlerts(
    tweetIds: readonly string[],
    sinks: ReadonlySet<string>,
  ): Promise<readonly EditableAlert[]>;
  /** Of messages that were sent, the one whose edit has been due for longest. */
  dueEdit(sink: string, nowMs: number): Promise<DueEdit | undefined>;
  /** An edit that was wanted meanwhile, by another revision, stays due. */
  recordEdit(edit: Pick<DueEdit, "deliveryId" | "revision">, result: EditResult): Promise<void>;
  /** When the next is due; null when none waits for a message that was sent. */
  nextEditAt(sink: string): Promise<number | null>;
}
