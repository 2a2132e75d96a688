/**
 * How far the first reads are that run now: pages that were answered. For the status alone; what a
 * read brings is stored at its end.
 */
import type { Ask } from "../ask.ts";
import type { Poll } from "../watch-poll.ts";

export interface FirstReadPages {
  /** Asks as `ask` does, and counts the pages until the poll has ended. */
  count(poll: Poll, ask: Ask): Ask;
  end(poll: Poll): void;
  /** By id of the watches that such a read serves. */
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
