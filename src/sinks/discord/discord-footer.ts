/** Adds a footer line to a Discord message, within the length limit of its content. Pure. */
import { discordLabel } from "../../render/discord-text.ts";
import { FOOTER_LINE_CHARS, withFooterLine } from "../kind/footer-text.ts";
import { CONTENT_CHARS, type DiscordBody } from "./discord-render.ts";

/** Returns the message with the footer in its content, which Discord shows above the embeds. */
export function withDiscordFooter(body: DiscordBody, footer: string): DiscordBody {
  const line = discordLabel(footer, FOOTER_LINE_CHARS);
  return {
    ...body,
    content: withFooterLine(body.content, line, CONTENT_CHARS),
    plain: withFooterLine(body.plain, line, CONTENT_CHARS),
  };
}
