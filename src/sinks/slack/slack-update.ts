/**
 * Edits messages that the bot posted, through chat.update, and recognises errors that make every
 * further edit of a message useless. `deliver/` decides when to edit and what to show.
 */
import { type MessageEdit, SinkError } from "../../model/sink.ts";
import { uneditable } from "../kind/update-settings.ts";
import type { SlackBody } from "./slack-blocks.ts";

/** Makes a call to the Web API. @throws SinkError */
export type SlackCall = (
  method: "chat.update",
  fields: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<unknown>;

/**
 * The error codes for a message that can never be edited again.
 * https://docs.slack.dev/reference/methods/chat.update#errors
 */
const UNEDITABLE = new Set([
  "message_not_found",
  "cant_update_message",
  "edit_window_closed",
  "is_inactive",
  "cannot_update_message",
]);

/**
 * Edits a message. The API requires the channel's id. If the settings have only the channel's name,
 * the id comes from the answer to the posted message. Without `parse: "none"`, Slack would turn
 * names into links and mentions. https://docs.slack.dev/reference/methods/chat.update
 */
export async function updateSlackMessage(
  call: SlackCall,
  channel: string,
  edit: MessageEdit,
  signal: AbortSignal,
): Promise<void> {
  const { text, blocks } = edit.body as unknown as SlackBody;
  const about = { channel: edit.channel ?? channel, ts: edit.ref, text, parse: "none" };
  try {
    await call("chat.update", { ...about, blocks }, signal);
  } catch (error) {
    if (!(error instanceof SinkError)) throw error;
    if (UNEDITABLE.has(String(error.fields["slackError"]))) throw uneditable(error);
    if (error.kind !== "message") throw error;
    // Slack refuses the blocks, so the edit shows only the text.
    await call("chat.update", { ...about, blocks: [] }, signal);
  }
}
