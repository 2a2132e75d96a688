/** The buttons below a Discord message, as its API takes them. Pure. */
import type { ChatAction } from "../../model/chat-action.ts";
import type { JsonObject } from "../../model/json.ts";
import type { MessageFacts } from "../../model/sink.ts";
import { type ActionButton, buttonsOf } from "../kind/action-buttons.ts";
import type { DiscordBody } from "./discord-render.ts";

/** https://docs.discord.com/developers/components/reference#component-object-component-types */
const ROW = 1;
const BUTTON = 2;
const SELECT = 3;
/** The grey style, because none of the buttons is what a reader should do first. */
const SECONDARY = 2;

/**
 * Returns the `components` of a message; nothing for a message that never has buttons. A row holds
 * five buttons or one menu, so the menu comes last, in a row of its own.
 */
export function discordButtons(
  { hasButtons }: DiscordBody,
  actions: readonly ChatAction[] = [],
  facts: MessageFacts,
): JsonObject {
  if (hasButtons !== true) return {};
  const shown = buttonsOf(actions, facts);
  const row = (elements: readonly JsonObject[]): readonly JsonObject[] =>
    elements.length === 0 ? [] : [{ type: ROW, components: elements }];
  const buttons = shown.filter(({ choices }) => choices === undefined).map(buttonOf);
  const menus = shown.filter(({ choices }) => choices !== undefined).map(menuOf);
  return { components: [...row(buttons), ...menus.flatMap((menu) => row([menu]))] };
}

const buttonOf = ({ id, label }: ActionButton): JsonObject => ({
  ...{ type: BUTTON, style: SECONDARY },
  ...{ custom_id: id, label },
});

const menuOf = ({ id, label, choices = [] }: ActionButton): JsonObject => ({
  type: SELECT,
  custom_id: id,
  placeholder: label,
  options: choices.map((choice) => ({ label: choice.label, value: choice.value })),
});
