/** The buttons below the messages of a chat's bot: which message has which, and what they say. */
import { z } from "zod";
import {
  type ButtonVerb,
  buttonId,
  CHAT_ACTIONS,
  type ChatAction,
  type Snooze,
  SNOOZES,
} from "../../model/chat-action.ts";
import { isEscalation } from "../../model/escalation.ts";
import type { Batch, Digest, MessageFacts } from "../../model/sink.ts";

export const actionsSchema = z
  .array(z.enum(CHAT_ACTIONS))
  .min(1)
  .optional()
  .describe(
    "Buttons below each message, for what people can do with its alerts. `chat` says who may. Bots only.",
  );

export const ONLY_BOTS_RECEIVE_CLICKS = "only a bot receives clicks on buttons";

/** A button, before a sink has laid it out. */
export interface ActionButton {
  readonly id: string;
  readonly label: string;
  /** The choices of a button that is a menu. */
  readonly choices?: readonly { readonly value: Snooze; readonly label: string }[];
}

const LABELS: Readonly<Record<ButtonVerb, string>> = {
  acknowledge: "Acknowledge",
  undo: "Undo acknowledgement",
  snooze: "Snooze…",
  mute_author: "Mute author",
  not_relevant: "Not relevant",
};

const SNOOZE_LABELS: Readonly<Record<Snooze, string>> = {
  "1h": "for 1 hour",
  "4h": "for 4 hours",
  tomorrow: "until 9:00 tomorrow",
  "1w": "for a week",
};

/**
 * Returns the buttons of a message. Once somebody acknowledged its only alert, acknowledging gives
 * way to undoing; a message of several alerts then offers both.
 */
export function buttonsOf(
  actions: readonly ChatAction[],
  { id, alerts = 1, footer = "" }: MessageFacts,
): readonly ActionButton[] {
  const shown = [...new Set(actions)].flatMap((action): readonly ButtonVerb[] =>
    action !== "acknowledge" || footer === ""
      ? [action]
      : alerts > 1
        ? ["acknowledge", "undo"]
        : ["undo"],
  );
  return shown.map((verb) => ({
    id: buttonId({ verb, messageId: id }),
    label: LABELS[verb],
    ...(verb === "snooze"
      ? { choices: SNOOZES.map((value) => ({ value, label: SNOOZE_LABELS[value] })) }
      : {}),
  }));
}

/**
 * Whether a message has buttons: alerts of watches, alone or several together, and escalations.
 * Digests, samples, follow-ups and what the daemon says about itself have none.
 */
export const isActionable = ({
  events,
  sample,
  cause,
  digest,
  isFollowUp = false,
}: Batch): boolean =>
  !sample &&
  cause === undefined &&
  digest === undefined &&
  !isFollowUp &&
  events.length > 0 &&
  events.every(({ event }) => event.watchType !== "daemon" || isEscalation(event));

/** Whether a list has buttons: alerts of one message that are too many for cards. */
export const isActionableList = ({
  cause,
  period,
  sections,
  isFollowUp = false,
}: Digest): boolean =>
  cause === undefined &&
  period === undefined &&
  !isFollowUp &&
  sections.every(({ items }) => items.every(({ event }) => event.watchType !== "daemon"));
