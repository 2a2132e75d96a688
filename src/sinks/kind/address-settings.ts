/**
 * The settings about addresses that several sink types have: how an address is written, and whether
 * it may be private.
 */
import { z } from "zod";
import { parseDuration } from "../../model/duration.ts";
import type { NetworkScope } from "../../model/http.ts";
import { isLoopback } from "../../model/loopback.ts";
import { isPrivateAddress } from "../../runtime/public-address.ts";
import { addIssue, retiredProblem } from "./chat-settings.ts";
import type { SinkDoubt } from "./sink-type.ts";

/**
 * Creates the setting for an address. `insteadOfUser` ends the error message about a user name or
 * password in the address: it says what to do instead.
 */
export const addressSetting = (doc: string, insteadOfUser: string) =>
  z
    .string()
    .superRefine((text, context) => addIssue(context, urlProblem(text, insteadOfUser)))
    .describe(doc);

const PRIVATE_DOC = "Allows private and loopback addresses, which are refused otherwise.";

export const allowPrivateSetting = () => z.boolean().default(false).describe(PRIVATE_DOC);

/**
 * Creates the setting `allow_private` for a chat. A chat's address may be on loopback without it.
 */
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
 * Returns which networks the requests to an address may reach. `isLoopbackAllowed`: an address that
 * names loopback itself (`localhost`, 127.0.0.1) may reach loopback, which chats allow for
 * stand-ins. A host name that only resolves to a loopback address may not.
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
 * Warns if an address is private and the settings do not allow private addresses. Only literal
 * addresses and `localhost` are checked, because other names are resolved only when a request is
 * made.
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
 * Whether the host of a URL is a literal address outside the public internet, or `localhost`. Other
 * names count as public.
 */
function isPrivate(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, "");
  return isLoopback(host) || isPrivateAddress(plain);
}
