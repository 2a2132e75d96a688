/** The storage port for clicks on buttons in chats, each of which takes effect once. */

/** A click, as it is stored in the transaction of its effect. */
export interface ClickKey {
  /** The vendor's own id of the click, with the vendor's name, because clicks arrive twice. */
  readonly id: string;
  /** The vendor's id of the person who clicked, with the vendor's name. */
  readonly person: string;
}

/** The message below which somebody clicked. */
export interface ClickedMessage {
  readonly sink: string;
  /** The number of alerts in the message. */
  readonly alerts: number;
  /** Whether the message says that nobody acknowledged alerts of another sink. */
  readonly isEscalation: boolean;
}

export interface ClickStore {
  /** Returns the message with this id; undefined if the state does not have it any more. */
  clickedMessage(messageId: string): Promise<ClickedMessage | undefined>;
}
