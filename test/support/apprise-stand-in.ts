/**
 * A stand-in for the /notify endpoint of an Apprise API server:
 * https://github.com/caronc/apprise-api#api-details.
 */
import type { AppriseBody } from "../../src/sinks/apprise.ts";

/** Far below the limit of most services behind Apprise. */
const BODY_CHARS = 3_500;
const TITLE_CHARS = 200;

/** Returns why Apprise would refuse the message, or undefined if it accepts it. */
export function appriseRefusal({ title, body, type }: AppriseBody): string | undefined {
  if (body.trim() === "") return "body: This field is required.";
  if (!["info", "success", "warning", "failure"].includes(type)) return "type: not a choice";
  return title.length <= TITLE_CHARS && body.length <= BODY_CHARS
    ? undefined
    : "too long for services behind Apprise";
}

/** Text that services behind Apprise would treat as a mention. */
export const LIVE_APPRISE = /@\w|<[@!#]/;
