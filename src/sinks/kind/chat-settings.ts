/**
 * The settings that chat sinks share: which addresses are valid (https anywhere, http only on
 * loopback, so that a stand-in can be used), and how a problem is reported.
 */
import { z } from "zod";
import { isLoopback } from "../../model/loopback.ts";

/** Creates the setting `api_url`: the base address of the chat's API, which the sink's SDK uses. */
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
 * Returns an error text if the address belongs to a Teams connector, which Microsoft has retired.
 * Some connectors still answer 200 without delivering the message, so a sink could not notice the
 * loss.
 * https://devblogs.microsoft.com/microsoft365dev/retirement-of-office-365-connectors-within-microsoft-teams
 */
export function retiredProblem({ hostname }: URL): string | undefined {
  if (!/(?:^|\.)(?:webhook|outlook)\.office(?:365)?\.com$/.test(hostname)) return undefined;
  return "is the address of a Teams connector, which Microsoft has retired: make a workflow (in Teams, Workflows, the template for webhook alerts) and put its address into a sink of `type: teams`";
}

/**
 * Reports a problem to zod, if there is one. Without a key, the problem belongs to the whole sink.
 */
export function addIssue(
  context: z.RefinementCtx,
  message: string | undefined,
  key?: string,
): void {
  if (message !== undefined)
    context.addIssue({ code: "custom", message, ...(key === undefined ? {} : { path: [key] }) });
}
