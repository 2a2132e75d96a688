/**
 * The settings about addresses that sinks share: how addresses are written, and that they are on
 * the internet unless a sink allows private ones.
 */
import { z } from "zod";
import { parseDuration } from "../../model/duration.ts";
import type { NetworkScope } from "../../model/http.ts";
import { isLoopback } from "../../model/loopback.ts";
import { isPrivateAddress } from "../../runtime/public-address.ts";
import { addIssue, retiredProblem } from "./chat-settings.ts";
import type { SinkDoubt } from "./sink-type.ts";

/**
 * Creates the setting of an address. @param insteadOfUser what to do instead of writing a user name
 * and a password into it
 */
export const addressSetting = (doc: string, insteadOfUser: string) =>
  z
    .string()
    .superRefine((text, context) => addIssue(context, urlProblem(text, insteadOfUser)))
    .describe(doc);

const PRIVATE_DOC = "Allows private and loopback addresses, which are refused otherwise.";

export const allowPrivateSetting = () => z.boolean().default(false).describe(PRIVATE_DOC);

/** Creates the setting for a chat, whose address may be on loopback in any case. */
export const allowPrivateChatSetting = () =>
  z
    .boolean()
    .optional()
    .describe("Allows private addresses, which are refused otherwise. Default false.");

export const timeoutSetting = (standard: string) =>
  z
    .string()
    .refine(
      (text) => (parseDuration(text) ?? 0) >= 100,
      `must be a duration of at least 100ms, like ${standard}`,
    )
    .default(standard)
    .describe("How long one attempt may take.");

function urlProblem(text: string, insteadOfUser: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return "must be an address that starts with https:// or http://";
  const retired = retiredProblem(url);
  if (retired !== undefined) return retired;
  if (url.username !== "" || url.password !== "")
    return `must not contain a user name or password: ${insteadOfUser}`;
  return undefined;
}

/**
 * Returns where requests to an address may go. A chat's own address is https or on loopback, and
 * its settings allow loopback by naming it; a name that only resolves to loopback is not reached.
 */
export function scopeOf(
  address: string,
  isPrivateAllowed: boolean | undefined,
  isLoopbackAllowed: boolean,
): NetworkScope {
  if (isPrivateAllowed) return "any";
  return isLoopbackAllowed && isLoopback(new URL(address).hostname) ? "loopback" : "public";
}

/**
 * Warns of a private address that the settings do not allow. Checks only addresses that are written
 * out, because what a name resolves to is known only at the request.
 */
export function doubtOfPrivateAddress(
  name: string,
  {
    url,
    allow_private: isAllowed,
  }: { readonly url: string; readonly allow_private?: boolean | undefined },
  isLoopbackAllowed = false,
): readonly SinkDoubt[] {
  const { hostname } = new URL(url);
  if (scopeOf(url, isAllowed, isLoopbackAllowed) !== "public" || !isPrivate(hostname)) return [];
  const message = `\`${name}\` points to ${hostname}, a private or loopback address, to which requests are refused: set \`allow_private: true\` if the address is right`;
  return [{ rule: "private-webhook", message }];
}

/**
 * Whether the host of a URL is an address outside the public internet. The only name that counts is
 * `localhost`.
 */
function isPrivate(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, "");
  return isLoopback(host) || isPrivateAddress(plain);
}
