/** Adds a footer line to a Telegram message, and edits messages that the bot sent. */
import type { Clock } from "../../model/clock.ts";
import type { Http, NetworkScope } from "../../model/http.ts";
import { type MessageEdit, SinkError } from "../../model/sink.ts";
import { defuseHandles } from "../../render/text/defuse.ts";
import { trimText } from "../../render/text/trim-text.ts";
import { FOOTER_LINE_CHARS, withFooterLine } from "../kind/footer-text.ts";
import { postToWebhook } from "../kind/post-to-webhook.ts";
import { classifyTelegramFailure, readTelegramAnswer } from "./telegram-answer.ts";
import { TEXT_CHARS, type TelegramBody } from "./telegram-render.ts";

/**
 * Matches the error with which Telegram answers an edit that changes nothing. The edit then counts
 * as made.
 */
const UNCHANGED = /message is not modified/i;

/**
 * Returns the message with the footer below it. The text may be cut to make room; entities of the
 * part that was cut off are removed.
 */
export function withTelegramFooter(body: TelegramBody, footer: string): TelegramBody {
  const line = trimText(defuseHandles(footer), FOOTER_LINE_CHARS);
  const text = withFooterLine(body.text, `\n${line}`, TEXT_CHARS);
  const kept = sharedLength(text, body.text);
  const entities = body.entities.filter(({ offset, length }) => offset + length <= kept);
  return { ...body, text, entities };
}

function sharedLength(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

export interface TelegramPlace {
  readonly url: string;
  readonly chat: string;
  readonly reach: NetworkScope;
  readonly timeoutMs: number;
}

/** Edits a message: https://core.telegram.org/bots/api#editmessagetext @throws SinkError */
export async function editTelegramMessage(
  { http, clock }: { readonly http: Http; readonly clock: Pick<Clock, "now"> },
  { url, chat, reach, timeoutMs }: TelegramPlace,
  { ref, body }: MessageEdit,
  signal: AbortSignal,
): Promise<void> {
  const { text, entities, picture } = body as TelegramBody;
  const request = {
    ...{ chat_id: chat, message_id: Number(ref), text, entities },
    link_preview_options:
      picture === undefined ? { is_disabled: true } : { url: picture, prefer_large_media: true },
  };
  const how = { timeoutMs, signal, answerBody: "cut", reach } as const;
  const answer = await postToWebhook(http, url, request, how).catch((error: unknown) => {
    throw classifyTelegramFailure(error);
  });
  try {
    readTelegramAnswer(answer, clock.now());
  } catch (error) {
    if (!(error instanceof SinkError) || !UNCHANGED.test(error.message)) throw error;
  }
}
