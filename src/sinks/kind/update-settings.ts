/** The settings `update` and `follow_up`, for sinks that can edit the messages that they sent. */
import { z } from "zod";
import { EDIT_CAUSES, FOLLOW_UPS } from "../../model/edit-cause.ts";
import { SinkError } from "../../model/sink.ts";

export const updateSchema = z
  .array(z.enum(EDIT_CAUSES))
  .min(1)
  .optional()
  .describe(
    "Edits sent messages when polls or rechecks find that their tweet was `deleted` or `edited`, or that its `counts` changed; at most once a minute. Bots only.",
  );

export const followUpSchema = z
  .enum(FOLLOW_UPS)
  .optional()
  .describe(
    "When an alert that a tweet was deleted or edited is sent in addition to the edit of its message: `unedited` (default), only if that edit was dropped or refused; `always`. Needs `update`.",
  );

export const FOLLOW_UP_ALONE = "needs `update`: without edits, every follow-up is sent anyway";

export const ONLY_BOTS_EDIT = "only a bot can edit what it posted";

/**
 * Returns an error of kind `message`, for a message that can never be edited: somebody removed it,
 * or the vendor does not allow the edit.
 */
export const uneditable = (error: SinkError): SinkError =>
  new SinkError("message", error.message, error.status, {
    hint: error.hint,
    fields: error.fields,
    cause: error,
  });
