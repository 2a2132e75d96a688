/** How private answers in Discord write names. */
import { discordLabel } from "../../render/discord-text.ts";
import type { ChatMarkup } from "../clicks/click.ts";

const NAME_CHARS = 80;

/** Discord shows ids as names. Private answers allow no mentions, so they notify nobody. */
export const DISCORD_MARKUP: ChatMarkup = {
  plain: (text) => discordLabel(text, NAME_CHARS),
  nameOf: (one) =>
    one.kind === "channel"
      ? "everyone in this channel"
      : one.kind === "role"
        ? `<@&${one.id}>`
        : `<@${one.id}>`,
};
