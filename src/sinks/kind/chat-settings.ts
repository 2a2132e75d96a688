/**
 * The settings that chat sinks share: which addresses they may have (https anywhere, http only on
 * loopback, so that a stand-in can be used), and how a problem is reported.
 */
import { z } from "zod";
import { isLoopback } from "../../model/loopback.ts";

/** Creates the setting `api_url`: the base address that a chat's SDK uses. */
export const apiUrl = (doc: string) =>
  z
    .string()
    .superRefine((text, context) => addIssue(context, addressProblem(text)))
    .optional()
    .describe(doc);

/** Returns what is wrong with an address; undefined if nothing is. */
export function addressProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be an address that starts with https://";
  const url = new URL(text);
  const retired = retiredProblem(url);
  if (retired !== undefined) return retired;
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)))
    return undefined;
  return "must start with https:// (http:// is for loopback only)";
}

/**
 * Returns a problem if the address is that of a Teams connector. If such a connector still answers,
 * it answers 200 whatever happens to the message.
 * https://devblogs.microsoft.com/microsoft365dev/retirement-of-office-365-connectors-within-microsoft-teams
 */
export function retiredProblem({ hostname }: URL): string | undefined {
  if (!/(?:^|\.)(?:webhook|outlook)\.office(?:365)?\.com$/.test(hostname)) return undefined;
  return "is the address of a Teams connector, which Microsoft has retired: make a workflow (in Teams, Workflows, the template for webhook alerts) and put its address into a sink of `type: teams`";
}

/** Reports a problem, if there is one, at a key or at the whole sink. */
export function addIssue(
  context: z.RefinementCtx,
  message: string | undefined,
  key?: string,
): void {
  if (message !== undefined)
    context.addIssue({ code: "custom", message, ...(key === undefined ? {} : { path: [key] }) });
}
