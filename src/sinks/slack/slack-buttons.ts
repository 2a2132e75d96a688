/** Puts the buttons below a Slack message, within the limits of its blocks. Pure. */
import type { ChatAction } from "../../model/chat-action.ts";
import type { MessageFacts } from "../../model/sink.ts";
import { type ActionButton, buttonsOf } from "../kind/action-buttons.ts";
import { BLOCKS, BLOCKS_CHARS, size, type SlackBlock, type SlackBody } from "./slack-blocks.ts";

/** The size that a message with alerts leaves free for its buttons. */
export const BUTTONS_CHARS = 1_300;

/**
 * Returns the message with its buttons at the end. Blocks that leave no room for them are left out,
 * but never the line below the alerts.
 */
export function withSlackButtons(
  body: SlackBody,
  actions: readonly ChatAction[] = [],
  facts: MessageFacts,
): SlackBody {
  if (body.hasButtons !== true || actions.length === 0 || body.blocks.length === 0) return body;
  const { footer = "" } = facts;
  const below = footer === "" ? [] : body.blocks.slice(-1);
  const own = [...below, actionsBlock(buttonsOf(actions, facts))];
  const above = body.blocks.slice(0, body.blocks.length - below.length);
  const isTooLong = () =>
    above.length + own.length > BLOCKS || size([...above, ...own]) > BLOCKS_CHARS;
  while (above.length > 1 && isTooLong()) above.pop();
  return { ...body, blocks: [...above, ...own] };
}

/** https://docs.slack.dev/reference/block-kit/blocks/actions-block */
const actionsBlock = (buttons: readonly ActionButton[]): SlackBlock => ({
  type: "actions",
  elements: buttons.map(elementOf),
});

const plainText = (text: string) => ({ type: "plain_text", text });

const elementOf = ({ id, label, choices }: ActionButton): SlackBlock =>
  choices === undefined
    ? { type: "button", action_id: id, text: plainText(label) }
    : {
        type: "static_select",
        action_id: id,
        placeholder: plainText(label),
        options: choices.map((choice) => ({
          text: plainText(choice.label),
          value: choice.value,
        })),
      };
