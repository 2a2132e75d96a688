/**
 * Runs polls with the runner for their kind: a feed on its own, or accounts, lists or searches as a
 * group. Creates, loads and writes what all kinds learn.
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
   * @throws the error that kept the run from learning anything
   */
  run(poll: Poll): Promise<GroupRun>;
  /**
   * Returns the time (epoch ms) at which a poll's next request is worth its cost at the current
   * pace; undefined if the poll runs at its next tick.
   */
  nextDueMs(poll: Poll): number | undefined;
  /** Loads what was learned before. Called before every plan. */
  load(): Promise<void>;
  /**
   * Returns how many requests a read of a poll's whole list takes. It is 1 for a short list and for
   * a list of unknown length.
   */
  readonly pagesOf: (poll: Pick<Poll, "key">) => number;
  /** Loads what was learned again, because other replicas may have changed it. */
  reload(): Promise<void>;
  /** Forgets groups and members that no poll contains any more. Called after every plan. */
  keepOnly(polls: readonly Poll[]): void;
  /** Writes everything that was learned to the state. */
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
