/** What the settings of sinks share that post to an address of the operator's own choice, on the internet unless they allow a private one. */
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { parseDuration } from "../../model/duration.ts";
import { isLoopback } from "../../model/loopback.ts";
import { addIssue } from "./chat-settings.ts";
import type { SinkDoubt } from "./sink-type.ts";

/** @param insteadOfUser what to do with a user name and a password, which an address may not hold */
export const addressSetting = (doc: string, insteadOfUser: string) =>
  z
    .string()
    .superRefine((text, context) => addIssue(context, urlProblem(text, insteadOfUser)))
    .describe(doc);

export const allowPrivateSetting = () =>
  z.boolean().default(false).describe("Allows private and loopback addresses, which are refused otherwise.");

export const timeoutSetting = (standard: string) =>
  z
    .string()
    .refine((text) => (parseDuration(text) ?? 0) >= 100, `must be a duration of at least 100ms, like ${standard}`)
    .default(standard)
    .describe("How long one attempt may take.");

function urlProblem(text: string, insteadOfUser: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return "must be an address that starts with https:// or http://";
  if (url.username !== "" || url.password !== "") return `must not hold a user name or password: ${insteadOfUser}`;
  return undefined;
}

/** Of addresses that are written out: what a name leads to is known when it is asked for. */
export function doubtOfPrivateAddress(
  name: string,
  { url, allow_private: isAllowed }: { readonly url: string; readonly allow_private: boolean },
): readonly SinkDoubt[] {
  const { hostname } = new URL(url);
  if (isAllowed || !isPrivate(hostname)) return [];
  const message = `\`${name}\` points to ${hostname}, a private or loopback address, which webhooks may not reach: set \`allow_private: true\` if it should go there`;
  return [{ rule: "private-webhook", message }];
}

/** Whether a host of a URL is an address that only this machine or its own network has; of names, `localhost` alone. */
function isPrivate(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, "");
  return isLoopback(host) || (ipaddr.isValid(plain) && ipaddr.process(plain).range() !== "unicast");
}
