/**
 * Chooses what runs a poll, by its kind: a feed on its own, or accounts, lists or searches
 * together. Owns what all kinds have learned, from start to stop.
 */
import type { GroupRunner } from "./kind/group-runner.ts";
import { membersOf } from "./memory/group-members.ts";
import { GroupReading, type GroupReadingDeps } from "./memory/group-reading.ts";
import type { GROUP_KINDS } from "./registry.ts";
import { createFeedStates } from "./single/feed-states.ts";
import { createProbeStates } from "./probing/probe-states.ts";
import { createFeedPacers } from "./single/feed-pacers.ts";
import { readFirst } from "./memory/first-reads.ts";
import type { PollRunner } from "../polling/run/poll-runner.ts";
import { createFeedRunner } from "./single/run-feed.ts";
import { AccountsRunner, type GroupDeps } from "./accounts/run-group.ts";
import type { GroupRun } from "../polling/run/poll-run.ts";
import { MemberListsRunner } from "./member-lists/run-member-lists.ts";
import { createSearchesRunner } from "./searches/run-searches.ts";
import type { Poll } from "../polling/watch-poll.ts";

export interface RunnersDeps
  extends Omit<GroupDeps, "probeStates" | "reading" | "store">,
    GroupReadingDeps {
  readonly runner: PollRunner;
}

export interface Runners {
  /**
   * Runs a poll.
   * @throws what kept it from learning anything
   */
  run(poll: Poll): Promise<GroupRun>;
  /**
   * Returns the wall time at which a poll's next request is worth it by the current pace; undefined
   * for its next tick.
   */
  nextDueMs(poll: Poll): number | undefined;
  /** Reads what was learned before. Called before every plan. */
  load(): Promise<void>;
  /**
   * Returns how many requests a read of a poll's whole list takes; 1 if it is short or its length
   * is not known.
   */
  readonly pagesOf: (poll: Pick<Poll, "key">) => number;
  /** Reads the learned values again, because other replicas may have written them. */
  reload(): Promise<void>;
  /** Forgets the groups and members that are in no poll any more. Called with every plan. */
  keepOnly(polls: readonly Poll[]): void;
  /** Writes what was learned, at a stop or before. */
  close(): Promise<void>;
}

export function createRunners(deps: RunnersDeps): Runners {
  const {
    store,
    gate,
    profiles,
    clock,
    serviceClock,
    log,
    runner,
    runOne,
    processFeed,
    slowDownOf,
    wake,
  } = deps;
  const probeStates = createProbeStates(store, clock);
  const feeds = createFeedStates(store, clock);
  const pacerOf = createFeedPacers({
    feedStates: feeds,
    clock,
    serviceClock,
    slowDownOf: slowDownOf,
  });
  const reading = new GroupReading({ store, gate, clock, serviceClock, runOne, processFeed });
  const runners: Readonly<Record<keyof typeof GROUP_KINDS, GroupRunner>> = {
    single: createFeedRunner({ runner, pacerOf, clock }),
    accounts: new AccountsRunner({
      reading,
      store,
      profiles,
      clock,
      log,
      probeStates,
      slowDownOf,
      wake,
    }),
    "member-lists": new MemberListsRunner({ reading, profiles, clock, log, probeStates }),
    searches: createSearchesRunner({ reading, store, clock, log, pacerOf }),
  };
  const runnerOf = ({ group }: Poll): GroupRunner => runners[group?.kind ?? "single"];
  return {
    async run(poll) {
      try {
        return await runnerOf(poll).run(poll);
      } catch (error) {
        await readFirst(poll, error, { store, reading });
        throw error;
      }
    },
    nextDueMs: (poll) => runnerOf(poll).pacerOf?.(poll).nextDueMs(),
    async load() {
      await Promise.all([probeStates.load(), feeds.load()]);
    },
    pagesOf: ({ key }) => probeStates.get(key)?.pages ?? 1,
    async reload() {
      await Promise.all([probeStates.reload(), feeds.reload()]);
    },
    keepOnly(polls) {
      for (const runner of Object.values(runners)) runner.keepOnly?.(polls);
      reading.readiness.keepOnly(
        new Set(polls.flatMap(({ group }) => (group?.members ?? []).map(({ key }) => key))),
      );
      const probed = polls.flatMap(membersOf).flatMap(({ key }) => (key === "" ? [] : [key]));
      if (probed.length > 0) probeStates.keepOnly(new Set(probed));
    },
    async close() {
      const results = await Promise.allSettled(
        [probeStates, feeds, ...Object.values(runners)].map(async (one) => one.close?.()),
      );
      for (const result of results) if (result.status === "rejected") throw result.reason;
    },
  };
}
