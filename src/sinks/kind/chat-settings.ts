/**
 * What the settings of the chat sinks share: which addresses they may be pointed at (https
 * anywhere, plain http on loopback only, so that a stand-in can be used), and how a problem is
 * reported.
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
  const retired = retiredProblem(url);
  if (retired !== undefined) return retired;
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)))
    return undefined;
  return "must start with https:// (http:// is for loopback only)";
}

/**
 * A Teams connector answers 200 whatever becomes of the message, if it still answers.
 * https://devblogs.microsoft.com/microsoft365dev/retirement-of-office-365-connectors-within-microsoft-teams
 */
export function retiredProblem({ hostname }: URL): string | undefined {
  if (!/(?:^|\.)(?:webhook|outlook)\.office(?:365)?\.com$/.test(hostname)) return undefined;
  return "is the address of a Teams connector, which Microsoft has retired: make a workflow (in Teams, Workflows, the template for webhook alerts) and put its address into a sink of `type: teams`";
}

/** Reports a problem at a key, or at the whole sink; nothing when there is none. */
export function addIssue(
  context: z.RefinementCtx,
  message: string | undefined,
  key?: string,
): void {
  if (message !== undefined)
    context.addIssue({ code: "custom", message, ...(key === undefined ? {} : { path: [key] }) });
}
