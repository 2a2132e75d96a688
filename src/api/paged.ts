/**
 * A list that the service returns in pages, for iteration. Only a missing cursor ends the list, and
 * every page costs one billed request.
 */
import { UpstreamError } from "../model/upstream.ts";

export interface Page<T> {
  readonly items: readonly T[];
  /** The cursor of the next page; undefined on the last page. */
  readonly nextCursor?: string;
}

/**
 * A paged list. Requests nothing until it is iterated. If new items are created during the
 * iteration, an item may appear on two pages.
 */
export interface Paged<T> extends AsyncIterable<T> {
  /** Fetches one page: the first page, or the page to which a cursor from an earlier call leads. */
  page(cursor?: string): Promise<Page<T>>;
  /**
   * Iterates over the pages, from the start or from a cursor, until the service returns no further
   * cursor.
   */
  pages(fromCursor?: string): AsyncIterable<Page<T>>;
}

export function createPaged<T>(page: (cursor?: string) => Promise<Page<T>>): Paged<T> {
  const pages = (fromCursor?: string) => walk(page, fromCursor);
  return {
    page,
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { items } of pages()) yield* items;
    },
  };
}

/**
 * Yields pages. Empty and short pages do not end the list. @throws UpstreamError `transient` when
 * the service returns a cursor that was already sent (A, B, A), because the iteration would never
 * end
 */
async function* walk<T>(
  page: (cursor?: string) => Promise<Page<T>>,
  fromCursor: string | undefined,
): AsyncGenerator<Page<T>> {
  const sent = new Set<string>();
  let cursor = fromCursor;
  do {
    if (cursor !== undefined) sent.add(cursor);
    const found = await page(cursor);
    yield found;
    cursor = found.nextCursor;
    if (cursor !== undefined && sent.has(cursor)) throw cursorLoop(sent.size);
  } while (cursor !== undefined);
}

const cursorLoop = (pages: number): UpstreamError =>
  new UpstreamError(
    "transient",
    "the service returned the same cursor twice, so paging stopped there",
    undefined,
    {
      hint: "The items before that are valid; the rest of the list was not read.",
      fields: { pages },
    },
  );
