/**
 * The schema of a query in the platform's search language, which is checked before it is paid for.
 * Shared by every watch type that searches tweets.
 */
import { z } from "zod";
import { parseQuery } from "../query/parse.ts";
import { QueryError } from "../query/query-error.ts";

export const querySchema = z
  .string()
  .trim()
  .min(1, "query is empty: write what to search for")
  .superRefine((text, context) => {
    const problem = problemOf(text);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  })
  .describe("What to search for, in the platform's search language.");

/**
 * Returns what is wrong with a query; undefined if nothing is. The check is necessary because the
 * service answers a query that it cannot parse with results for something else, and bills them.
 */
function problemOf(text: string): string | undefined {
  if (text === "") return undefined;
  try {
    parseQuery(text);
    return undefined;
  } catch (error) {
    if (error instanceof QueryError)
      return `${error.message}: ${error.hint.charAt(0).toLowerCase()}${error.hint.slice(1).replace(/\.$/, "")}`;
    throw error;
  }
}
