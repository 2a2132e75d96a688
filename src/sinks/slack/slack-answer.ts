/**
 * Classifies Slack's answers to messages, and says what an operator can do about failures. Knows
 * the error codes; `slack.ts` decides what to try next.
 */
import { asksToWait } from "../../model/asked-wait.ts";
import { errorText } from "../../model/errors.ts";
import { HttpError } from "../../model/http.ts";
import { addressRefusal } from "../kind/http-answer.ts";
import { SinkError, type SinkFailure, TOO_LARGE } from "../../model/sink.ts";
import { ownValue } from "../../model/own-value.ts";

/**
 * Error codes that refuse the content of a message and not the channel. The same message may be
 * accepted as plain text.
 */
const CONTENT = new Set([
  ...[
    "invalid_blocks",
    "invalid_blocks_format",
    "msg_too_long",
    "msg_blocks_too_long",
    "no_text",
    "block_mismatch",
    "invalid_payload",
  ],
  ...[
    "invalid_attachments",
    "too_many_attachments",
    "invalid_arguments",
    "invalid_metadata_format",
    "metadata_too_large",
    "invalid_charset",
  ],
]);

const TOKEN_HINT = "Put a valid bot token (xoxb-…) into the sink's `token`.";
const SCOPE_HINT =
  "Give the Slack app the scope chat:write (chat:write.public for channels it has not joined, chat:write.customize for `username` and icons), then reinstall it.";
const WEBHOOK_HINT =
  "Make a new incoming webhook in Slack and put it into the sink's `webhook_url`.";

/**
 * Error codes with which the channel accepts no message at all, with a hint for each. The parameter
 * of a hint is the channel's name. https://docs.slack.dev/reference/methods/chat.postMessage#errors
 */
const DESTINATION: Readonly<Record<string, (channel: string) => string>> = {
  channel_not_found: (channel) =>
    `invite @chirpwatch to ${channel}, and check the channel's name or id.`,
  not_in_channel: (channel) => `invite @chirpwatch to ${channel}`,
  is_archived: (channel) => `unarchive ${channel}, or give the sink another channel.`,
  channel_is_archived: (channel) => `unarchive ${channel}, or make a webhook of another channel.`,
  restricted_action: (channel) => `allow the app to post in ${channel}.`,
  restricted_action_read_only_channel: (channel) => `allow the app to post in ${channel}.`,
  posting_to_general_channel_denied: (channel) => `allow the app to post in ${channel}.`,
  action_prohibited: () => "Ask a workspace admin to allow incoming webhooks.",
  missing_scope: () => SCOPE_HINT,
  no_permission: () => SCOPE_HINT,
  invalid_auth: () => TOKEN_HINT,
  not_authed: () => TOKEN_HINT,
  token_revoked: () => TOKEN_HINT,
  token_expired: () => TOKEN_HINT,
  account_inactive: () => TOKEN_HINT,
  not_allowed_token_type: () => TOKEN_HINT,
  access_denied: () => TOKEN_HINT,
  org_login_required: () => TOKEN_HINT,
  ekm_access_denied: () => TOKEN_HINT,
  team_access_not_granted: () => TOKEN_HINT,
  user_is_restricted: () => TOKEN_HINT,
  no_service: () => WEBHOOK_HINT,
  no_service_id: () => WEBHOOK_HINT,
  no_active_hooks: () => WEBHOOK_HINT,
  invalid_token: () => WEBHOOK_HINT,
  no_team: () => WEBHOOK_HINT,
  team_disabled: () => WEBHOOK_HINT,
};

/**
 * Error codes for a message that is too large.
 * https://docs.slack.dev/reference/methods/chat.postMessage#errors
 */
const SIZE_CODES = new Set([
  "msg_too_long",
  "msg_blocks_too_long",
  "metadata_too_large",
  "too_many_attachments",
]);

const sizeFields = (code: string) => (SIZE_CODES.has(code) ? TOO_LARGE : {});

/**
 * Classifies an error code from the answer of the Web API or from the text of a webhook's answer.
 */
function classifySlackCode(code: string, channel: string, status: number | undefined): SinkError {
  const fields = { slackError: code, refusal: code };
  const hint = ownValue(DESTINATION, code)?.(channel);
  if (hint !== undefined)
    return new SinkError("destination", `Slack refuses ${channel}: ${code}`, status, {
      hint,
      fields,
    });
  if (CONTENT.has(code))
    return new SinkError("message", `Slack refuses the message: ${code}`, status, {
      fields: { ...fields, ...sizeFields(code) },
    });
  if (code === "ratelimited" || code === "rate_limited") return rateLimited(undefined);
  return new SinkError("transient", `Slack answered ${code || "nothing readable"}`, status, {
    fields,
  });
}

/** Returns the error for a rate limit. `afterMs`: the wait that Slack asked for, in ms. */
export function rateLimited(afterMs: number | undefined): SinkError {
  return new SinkError(
    "rate_limited",
    asksToWait("Slack", afterMs),
    429,
    afterMs === undefined ? {} : { retry: { afterMs } },
  );
}

/**
 * The fields that the SDK's errors may have. They are classified by their stable `code`, so that
 * this file need not load the SDK.
 */
interface SdkError {
  readonly code?: string;
  readonly data?: { readonly error?: string };
  readonly retryAfter?: number;
  readonly statusCode?: number;
  readonly original?: unknown;
}

export function classifySdkError(thrown: unknown, channel: string): SinkError {
  if (thrown instanceof SinkError) return thrown;
  const error: SdkError = typeof thrown === "object" && thrown !== null ? thrown : {};
  // The SDK wraps the errors that `sdkFetch` throws.
  if (error.original instanceof SinkError) return error.original;
  switch (error.code) {
    case "slack_webapi_platform_error":
      return classifySlackCode(error.data?.error ?? "", channel, 200);
    case "slack_webapi_rate_limited_error":
      return rateLimited(error.retryAfter === undefined ? undefined : error.retryAfter * 1_000);
    case "slack_webapi_http_error":
      return classifyStatus(error.statusCode ?? 0, "", channel);
    default:
      return unreached(error.original ?? thrown, thrown);
  }
}

function unreached(failure: unknown, cause: unknown): SinkError {
  const hint = failure instanceof HttpError ? failure.hint : "";
  const message = `Slack could not be reached: ${errorText(failure)}`;
  return addressRefusal(failure) ?? new SinkError("transient", message, undefined, { hint, cause });
}

/**
 * Classifies an answer by its status, or by the error code that the text of an incoming webhook may
 * contain.
 */
export function classifyStatus(status: number, text: string, channel: string): SinkError {
  const code = text.trim();
  if (status === 429) return rateLimited(undefined);
  if (ownValue(DESTINATION, code) !== undefined || CONTENT.has(code))
    return classifySlackCode(code, channel, status);
  const shown = `Slack answered ${status}${/^[\w .-]{1,80}$/.test(code) ? ` ${code}` : ""}`;
  const hint = DESTINATION_STATUS.has(status) ? WEBHOOK_HINT : "";
  return new SinkError(kindOfStatus(status), shown, status, {
    hint,
    ...(status === 413 ? { fields: TOO_LARGE } : {}),
  });
}

/**
 * Returns the failure that the body of a webhook's 2xx answer reports: `{"ok":false,"error":…}`, as
 * in Slack's other APIs. Undefined if the message was accepted.
 * https://docs.slack.dev/apis/web-api/#responses
 */
export function readWebhookFailure(body: string, channel: string): SinkError | undefined {
  const text = body.trim();
  if (!/^\{.*"ok"\s*:\s*false/s.test(text)) return undefined;
  const [, code = ""] = /"error"\s*:\s*"(\w+)"/.exec(text) ?? [];
  return classifySlackCode(code, channel, 200);
}

const DESTINATION_STATUS = new Set([301, 302, 307, 308, 401, 403, 404, 410]);

function kindOfStatus(status: number): SinkFailure {
  if (DESTINATION_STATUS.has(status)) return "destination";
  return status === 400 || status === 413 ? "message" : "transient";
}
