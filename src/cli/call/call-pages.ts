/**
 * Collects the answer of a call page by page, to the last page if everything is wanted. Pages from
 * before a failure are kept, because they were paid for.
 */
import type { UpstreamAnswer } from "../../model/upstream.ts";

export interface Collected {
  /** What the items are. A `record` is a single object. */
  readonly kind: "tweets" | "users" | "record";
  readonly items: readonly unknown[];
  /** The cursor for the next call; null at the end. */
  readonly nextCursor: string | null;
  readonly pages: number;
  /** How many items exceeded the limit and were left out. */
  readonly cut: number;
  /** The error that ended the call early. */
  readonly error: unknown;
}

export interface CollectOptions {
  readonly ask: (cursor: string | undefined) => Promise<UpstreamAnswer>;
  readonly cursor: string | undefined;
  /** Whether to read all pages, and not just one. */
  readonly all: boolean;
  /** Reading stops once this many items have arrived. */
  readonly limit?: number | undefined;
  /** Called after every page. */
  readonly onPage: (pages: number, items: number) => void;
}

/**
 * Collects pages. Rejects only if the first page fails. If the service repeats a cursor, reading
 * stops, because it would otherwise never end.
 */
export async function collectPages({
  ask,
  cursor,
  all,
  limit = Number.POSITIVE_INFINITY,
  onPage,
}: CollectOptions): Promise<Collected> {
  const first = await ask(cursor);
  const kind =
    first.tweets !== undefined ? "tweets" : first.users !== undefined ? "users" : "record";
  const items: unknown[] = [...itemsOf(first)];
  const sent = new Set(cursor === undefined ? [] : [cursor]);
  let next = first.nextCursor;
  let pages = 1;
  const collected = (nextCursor: string | null, error?: unknown): Collected => ({
    kind,
    items: items.slice(0, limit),
    nextCursor,
    pages,
    cut: Math.max(0, items.length - limit),
    error,
  });
  onPage(pages, items.length);
  while (all && next !== undefined && items.length < limit) {
    if (sent.has(next))
      return collected(
        null,
        new Error("the service returned the same cursor twice, so paging stopped there"),
      );
    sent.add(next);
    try {
      const answer = await ask(next);
      items.push(...itemsOf(answer));
      next = answer.nextCursor;
      onPage(++pages, items.length);
    } catch (error) {
      return collected(next ?? null, error);
    }
  }
  return collected(next ?? null);
}

const itemsOf = (answer: UpstreamAnswer): readonly unknown[] =>
  answer.tweets ?? answer.users ?? (answer.record === undefined ? [] : [answer.record]);
