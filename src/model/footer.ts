/**
 * The footer of a message, as a port: one line that says who acknowledged its alerts. A message that
 * was sent before is edited when that changes.
 */
import type { Json } from "./json.ts";
import type { Mark } from "./mark.ts";

/** What the footer of a message is about. */
export interface FooterFacts {
  /** The marks of its acknowledged alerts, one for each. */
  readonly marks: readonly Mark[];
  /** The number of alerts in the message. */
  readonly alerts: number;
}

export interface DueFooter extends FooterFacts {
  readonly messageId: string;
  /** A number that increases whenever the required text of the footer changes. */
  readonly revision: number;
  /**
   * The sink's own ids of the message and, below it, of its channel, which is null if the sink
   * named none.
   */
  readonly ref: string;
  readonly channel: string | null;
  /** The current content of the message, without its footer. */
  readonly body: Json;
  /** The footer that the message has now; empty for none. */
  readonly shown: string;
  /** The number of failed attempts in a row. */
  readonly attempts: number;
}

export type FooterResult =
  | { readonly kind: "shown"; readonly atMs: number; readonly footer: string }
  | { readonly kind: "retry"; readonly nextAtMs: number; readonly error: string }
  /** `isFinal`: the message cannot be edited. Otherwise, a later change is tried again. */
  | { readonly kind: "dropped"; readonly error: string; readonly isFinal: boolean };

export interface FooterStore {
  /** Returns the footer that has been due longest, among those of sent messages. */
  dueFooter(sink: string, nowMs: number): Promise<DueFooter | undefined>;
  /** Records the result. A footer that changed again meanwhile stays due. */
  recordFooter(
    footer: Pick<DueFooter, "messageId" | "revision">,
    result: FooterResult,
  ): Promise<void>;
  /** Returns when the next footer is due; null if none waits for a sent message. */
  nextFooterAt(sink: string): Promise<number | null>;
}
