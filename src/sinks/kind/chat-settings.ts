/**
 * What the settings of the chat sinks share: which addresses they may be pointed at (https anywhere, plain http on loopback only, so that
 * a stand-in can be used), and how a problem is reported.
 */
import { z } from "zod";
import { isLoopback } from "../../model/loopback.ts";

/** `api_url`: the base that a chat's SDK asks. */
export const apiUrl = (doc: string) =>
  z
    .string()
    .superRefine((text, context) => addIssue(context, addressProblem(text)))
    .optional()
    .describe(doc);

/** Undefined when nothing is wrong. */
export function addressProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be an address that starts with https://";
  const url = new URL(text);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) return undefined;
  return "must start with https:// (http:// is for loopback only)";
}

/** Reports a problem at a key, or at the whole sink; nothing when there is none. */
export function addIssue(context: z.RefinementCtx, message: string | undefined, key?: string): void {
  if (message !== undefined) context.addIssue({ code: "custom", message, ...(key === undefined ? {} : { path: [key] }) });
}
