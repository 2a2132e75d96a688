/**
 * Splits a list that is completely in memory into pages: a request has a limit and the `next` of
 * the page before.
 */
import { parsedValue, textValue } from "./query.ts";

const MAX_LIMIT = 1_000;

const parseLimit = (text: string): number | undefined =>
  /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_LIMIT
    ? Number(text)
    : undefined;

/**
 * The values of a query that choose a page. Without a limit, the page contains all remaining
 * entries.
 */
export const pageValues = () => ({
  limit: parsedValue(parseLimit, `a whole number from 1 to ${MAX_LIMIT}`),
  cursor: textValue("The `next` of an answer."),
});

interface Page {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * Returns the page that begins after the entry whose id is the cursor, or a sentence if there is no
 * such entry any more. `idOf` must return the same id for an entry in every request.
 */
export function pageOf<T>(
  all: readonly T[],
  idOf: (entry: T) => string,
  { limit = all.length, cursor }: Page,
): { readonly page: readonly T[]; readonly next: string | null } | string {
  const before = cursor === undefined ? -1 : all.findIndex((entry) => idOf(entry) === cursor);
  if (cursor !== undefined && before < 0)
    return "cursor must be the `next` of an answer, and what it named is gone: begin without it";
  const page = all.slice(before + 1, before + 1 + limit);
  const last = page.at(-1);
  return {
    page,
    next: last === undefined || before + 1 + limit >= all.length ? null : idOf(last),
  };
}
