/** A click on a button in a chat, and the port for the connections through which clicks arrive. */
import type { Button } from "../../model/chat-action.ts";
import type { Allowed, ChatVendor } from "../../model/chat-access.ts";
import { ChirpwatchError, type ErrorDetails } from "../../model/errors.ts";

export interface ChatPerson {
  /** The vendor's own id. */
  readonly id: string;
  readonly name: string;
}

export interface Click {
  readonly vendor: ChatVendor;
  /** The vendor's own id of the click, which is the same when it is delivered again. */
  readonly id: string;
  readonly button: Button;
  /** What was chosen, if the button is a menu. */
  readonly choice: string | undefined;
  readonly person: ChatPerson;
  /** The person's roles, which Discord sends with each click. */
  readonly roles: readonly string[];
  /** Whether the person may manage messages in this channel, as Discord says with each click. */
  readonly mayManageMessages: boolean;
  /**
   * Answers the vendor, which waits three seconds for that. The answer says nothing about success.
   */
  answer(): Promise<void>;
  /** Says something that only the person sees, in the vendor's own markup. */
  say(text: string): Promise<void>;
}

/** How the private answers of a vendor write names. */
export interface ChatMarkup {
  /** Returns text that stays what it is: no formatting, no mention. */
  plain(text: string): string;
  /** Returns the name of whom an entry of `chat.allow` names, as the reader sees it. */
  nameOf(allowed: Allowed): string;
}

export interface ConnectionListener {
  clicked(click: Click): void;
  /** Called once, when an open connection has ended. */
  ended(reason: string): void;
}

export interface OpenConnection {
  /** Closes the socket. `ended` is not called. Never rejects. */
  close(): Promise<void>;
}

export interface ChatConnection {
  readonly vendor: ChatVendor;
  /**
   * Connects. Resolves once clicks arrive.
   * @throws ChatError, or what the vendor's library throws
   */
  open(listener: ConnectionListener, signal: AbortSignal): Promise<OpenConnection>;
}

/**
 * Thrown if a vendor cannot be reached or refuses the connection. With `isRefused`, trying again
 * soon cannot help.
 */
export class ChatError extends ChirpwatchError {
  readonly isRefused: boolean;
  constructor(message: string, isRefused: boolean, details: ErrorDetails = {}) {
    super("CHAT_CONNECTION", message, { retry: "later", ...details });
    this.isRefused = isRefused;
  }
}
