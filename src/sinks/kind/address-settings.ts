/**
 * What the settings of sinks share about addresses: how they are written, and that they are on the
 * internet unless a sink allows a private one.
 */
import { z } from "zod";
import { parseDuration } from "../../model/duration.ts";
import type { NetworkScope } from "../../model/http.ts";
import { isLoopback } from "../../model/loopback.ts";
import { isPrivateAddress } from "../../runtime/public-address.ts";
import { addIssue, retiredProblem } from "./chat-settings.ts";
import type { SinkDoubt } from "./sink-type.ts";

/**
 * @param insteadOfUser what to do with a user name and a password, which an address may not hold
 */
export const addressSetting = (doc: string, insteadOfUser: string) =>
  z
    .string()
    .superRefine((text, context) => addIssue(context, urlProblem(text, insteadOfUser)))
    .describe(doc);

const PRIVATE_DOC = "Allows private and loopback addresses, which are refused otherwise.";

export const allowPrivateSetting = () => z.boolean().default(false).describe(PRIVATE_DOC);

/** Of a chat, whose address may be on loopback anyway. */
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
    return `must not hold a user name or password: ${insteadOfUser}`;
  return undefined;
}

/**
 * Where requests to an address may go. `any` with `allow_private`. Of a chat's own address, which
 * is https or on loopback, loopback is what its settings have asked for by naming it; a name that
 * merely leads there is not reached.
 */
export function scopeOf(
  address: string,
  isPrivateAllowed: boolean | undefined,
  isLoopbackAllowed: boolean,
): NetworkScope {
  if (isPrivateAllowed) return "any";
  return isLoopbackAllowed && isLoopback(new URL(address).hostname) ? "loopback" : "public";
}

/** Of addresses that are written out: what a name leads to is known when it is asked for. */
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
  const message = `\`${name}\` points to ${hostname}, a private or loopback address, which it may not reach: set \`allow_private: true\` if it should go there`;
  return [{ rule: "private-webhook", message }];
}

/**
 * Whether a host of a URL is an address that is not of the public internet; of names, `localhost`
 * alone.
 */
function isPrivate(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, "");
  return isLoopback(host) || isPrivateAddress(plain);
}
