/**
 * Counts the pages that running first reads have received so far. Only the status uses the counts,
 * because what a first read finds is stored at its end.
 */
import type { Ask } from "../ask.ts";
import type { Poll } from "../watch-poll.ts";

export interface FirstReadPages {
  /** Returns an `Ask` that works like `ask` and counts the pages until the poll has ended. */
  count(poll: Poll, ask: Ask): Ask;
  end(poll: Poll): void;
  /**
   * Returns the number of pages so far by watch id, for the watches whose first read is running.
   */
  byWatch(): ReadonlyMap<string, number>;
}

export function createFirstReadPages(): FirstReadPages {
  const running = new Map<string, { readonly watches: ReadonlySet<string>; pages: number }>();
  return {
    count({ key, subscribers }, ask) {
      const read = running.get(key) ?? {
        watches: new Set(subscribers.map(({ watch }) => watch.id)),
        pages: 0,
      };
      running.set(key, read);
      return async (...asked) => {
        const answer = await ask(...asked);
        read.pages += 1;
        return answer;
      };
    },
    end: ({ key }) => void running.delete(key),
    byWatch() {
      const pages = new Map<string, number>();
      for (const read of running.values())
        for (const id of read.watches) pages.set(id, (pages.get(id) ?? 0) + read.pages);
      return pages;
    },
  };
}
