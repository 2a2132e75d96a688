/**
 * A list that comes in pages, as something to iterate over. Only the cursor ends it; every page is
 * one billed request.
 */
import { UpstreamError } from "../model/upstream.ts";

export interface Page<T> {
  readonly items: readonly T[];
  /** Asks for the next page; undefined on the last. */
  readonly nextCursor?: string;
}

/**
 * Nothing is requested until it is iterated. Items may repeat over two pages when new ones arrive
 * meanwhile.
 */
export interface Paged<T> extends AsyncIterable<T> {
  /** One page: the first, or the one of a cursor kept from before. */
  page(cursor?: string): Promise<Page<T>>;
  /** Page by page, from the start or from a cursor, until the service gives no further cursor. */
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
 * Empty and short pages end nothing. @throws UpstreamError `transient` when a cursor comes back (A,
 * B, A): going on would never end.
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
    "the service repeats a cursor it gave before: the list was left there",
    undefined,
    {
      hint: "What came so far is good; the rest of the list did not come.",
      fields: { pages },
    },
  );
