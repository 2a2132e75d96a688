/** Who runs a poll, by what it is: a feed by itself, accounts, lists or searches together. Owns what they learn, from start to stop. */
import type { Notes } from "../model/store.ts";
import { createChangeBook } from "./change-book.ts";
import { createFeedBook } from "./feed-book.ts";
import { createFeedTurns } from "./feed-turns.ts";
import { createFirstReads } from "./first-reads.ts";
import { keepBook, learnedIn } from "./in-force.ts";
import type { PollRunner } from "./poll-runner.ts";
import { createProbeBook } from "./probe-book.ts";
import { createFeedRunner } from "./run-feed.ts";
import { createGroupRunner, type GroupDeps, type GroupRun } from "./run-group.ts";
import { createRostersRunner } from "./run-rosters.ts";
import { createSearchesRunner } from "./run-searches.ts";
import type { Poll } from "./watch-poll.ts";

export interface RunnersDeps extends Omit<GroupDeps, "book" | "changes"> {
  readonly runner: PollRunner;
  readonly notes: Notes;
}

export interface Runners {
  /** @throws what kept it from learning anything */
  run(poll: Poll): Promise<GroupRun>;
  /** When what freshness places is worth its next request, by the pace of this moment; undefined for all else, and before its first run. */
  againAt(poll: Poll): number | undefined;
  /** Reads what was learned before; asked before every plan. */
  load(): Promise<void>;
  /** What planning goes by. */
  readonly learned: ReturnType<typeof learnedIn>;
  /** Told of every plan. */
  keepOnly(polls: readonly Poll[]): void;
  /** Writes what was learned: nothing more comes. */
  close(): Promise<void>;
}

export function createRunners(deps: RunnersDeps): Runners {
  const book = createProbeBook(deps.notes, deps.clock);
  const feeds = createFeedBook(deps.notes, deps.clock);
  const changes = createChangeBook(deps.notes, deps.clock);
  const turns = createFeedTurns({ ...deps, book: feeds });
  const groups = {
    accounts: createGroupRunner({ ...deps, book, changes }),
    rosters: createRostersRunner({ ...deps, book }),
    searches: createSearchesRunner({ ...deps, turns }),
  };
  const firstReads = createFirstReads(deps);
  const runners = { single: createFeedRunner({ ...deps, turns }), ...groups };
  return {
    async run(poll) {
      try {
        return await runners[poll.group?.kind ?? "single"].run(poll);
      } catch (error) {
        await firstReads.afterFailure(poll, error);
        throw error;
      }
    },
    againAt: (poll) => (poll.group?.kind === "accounts" ? groups.accounts.againAt(poll) : turns.againAt(poll)),
    async load() {
      await Promise.all([book, feeds, changes].map((one) => one.load()));
    },
    learned: learnedIn(book, feeds, changes),
    keepOnly(polls) {
      groups.accounts.keepOnly(polls);
      groups.searches.keepOnly(polls);
      keepBook(book, polls);
    },
    async close() {
      const results = await Promise.allSettled([book, feeds, changes, ...Object.values(groups)].map((one) => one.close()));
      for (const result of results) if (result.status === "rejected") throw result.reason;
    },
  };
}
