/**
 * What the settings of the chat sinks share: which addresses they may be pointed at (https anywhere, plain http on loopback only, so that
 * a stand-in can be used), and how a problem is reported.
 */
import type { z } from "zod";
import { isLoopback } from "../model/loopback.ts";

/** What is wrong with an `api_url`; undefined when nothing is. */
export function apiUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be an address that starts with https://";
  const url = new URL(text);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) return undefined;
  return "must start with https:// (http:// is for loopback only)";
}

/** What is wrong with a `webhook_url`: as `api_url`, or of its very origin. */
export function webhookUrlProblem(text: string, apiUrl: string | undefined): string | undefined {
  const problem = apiUrlProblem(text);
  if (problem === undefined) return undefined;
  const isSameOrigin =
    apiUrl !== undefined && URL.canParse(text) && URL.canParse(apiUrl) && new URL(text).origin === new URL(apiUrl).origin;
  return isSameOrigin ? undefined : problem;
}

/** Reports a problem at a key, or at the whole sink; nothing when there is none. */
export function addIssue(context: z.RefinementCtx, message: string | undefined, key?: string): void {
  if (message !== undefined) context.addIssue({ code: "custom", message, ...(key === undefined ? {} : { path: [key] }) });
}
