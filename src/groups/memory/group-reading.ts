/**
 * Runs groups of any kind and reads their members, each on its own or many with one query. Knows
 * which members must be read on their own, and which are in a cooldown because they could not be
 * read. The kind of group decides what is read and what an answer means.
 */
import type { Reach } from "../../detect/feed-poll.ts";
import { createCooldowns, type Cooldowns } from "../../model/backoff.ts";
import type { Clock } from "../../model/clock.ts";
import type { LearnedStore } from "../../model/learned.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { WatchStore } from "../../model/watch-store.ts";
import { askSearch } from "../../polling/ask.ts";
import {
  type MergedAnswer,
  type MergedMember,
  planMembers,
  type PlannedMember,
  type ReadClock,
  readMerged,
} from "../../polling/read/read-merged.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import { cooldownMs, type GroupRun, type PollRun } from "../../polling/run/poll-run.ts";
import { JointCommit } from "../../polling/run/joint-commit.ts";
import type { RunMember } from "../../polling/run/run-member.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import { createGroupMembers, type GroupMembers } from "./group-members.ts";
import { LearnedValues } from "./learned-values.ts";

export interface GroupReadingDeps extends RunMember {
  readonly store: Pick<PollStore, "loadSources" | "commitPoll"> &
    LearnedStore &
    Pick<WatchStore, "loadTargets">;
  readonly gate: RequestGate;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
}

export interface ReadRun {
  readonly outcome: PollOutcome;
  /**
   * The error that kept a part of the group from being read. It is thrown after everything that was
   * learned is stored.
   */
  readonly failure?: Error | undefined;
  /**
   * When the next run is worth its requests, in epoch ms; undefined if the group follows its
   * schedules.
   */
  readonly nextDueMs: number | undefined;
}

/** The facts about a run that its reads need. */
export interface Running {
  readonly group: Poll;
  /** The start of the run, in epoch ms of the local clock. */
  readonly startedAtMs: number;
}

export class GroupReading {
  readonly #deps: GroupReadingDeps;
  /** Knows which members must be read on their own. */
  readonly readiness: GroupMembers;
  /** The cooldowns of members that could not be read, by poll key. */
  readonly cooldowns: Cooldowns;
  constructor(deps: GroupReadingDeps) {
    this.#deps = deps;
    this.readiness = createGroupMembers(deps.store);
    this.cooldowns = createCooldowns(deps.clock);
  }

  /**
   * Runs a group: calls `read`, in which the kind of group makes its requests, then writes the
   * `learned` values to the state and records that the group was polled.
   */
  async run(
    group: Poll,
    learned: readonly Pick<LearnedValues<object>, "flush">[],
    read: (startedAtMs: number) => Promise<ReadRun>,
  ): Promise<GroupRun> {
    const { store, clock } = this.#deps;
    const startedAtMs = clock.now();
    const { outcome, failure, nextDueMs } = await read(startedAtMs);
    for (const one of learned) await one.flush();
    const [source] = await store.loadSources([group.key]);
    const polled = {
      fingerprint: group.key,
      expectedRevision: source?.revision ?? 0,
      polledAtMs: startedAtMs,
      ok: true,
    };
    await store.commitPoll({
      atMs: clock.now(),
      source: polled,
      targets: [],
      verdicts: [],
      events: [],
      deliveries: [],
    });
    if (failure !== undefined) throw failure;
    return { outcome, nextDueMs };
  }

  /** Reads a member on its own. */
  async alone(poll: Poll, reach?: Reach): Promise<PollRun> {
    const run = await this.#deps.runOne(poll, reach);
    this.cooldowns.begin(poll.key, cooldownMs(run, this.#deps.clock.now()));
    this.readiness.doubt(poll.key);
    return run;
  }

  /** Returns the members with the depth to which each must be read, the least deep first. */
  async plan(
    run: Running,
    wanted: readonly Omit<MergedMember, "source">[],
  ): Promise<readonly PlannedMember[]> {
    const sources = await this.#deps.store.loadSources(wanted.map(({ poll }) => poll.key));
    const members = wanted.flatMap((one, index) => {
      const source = sources[index];
      return source === undefined ? [] : [{ ...one, source }];
    });
    return planMembers(members, this.#timesOf(run));
  }

  /**
   * Reads all of these members with one query.
   * @throws the error of the request
   */
  together(run: Running, members: readonly PlannedMember[]): Promise<MergedAnswer> {
    return readMerged(askSearch(this.#deps.gate, run.group), members, this.#timesOf(run));
  }

  /**
   * Processes the answer to a shared query for each of these members, and returns their runs by
   * poll key. Members that are not in the answer are left out. The events of all members are stored
   * together, the oldest first.
   */
  async processAll(
    members: readonly Poll[],
    { observations }: Pick<MergedAnswer, "observations">,
  ): Promise<ReadonlyMap<string, PollRun>> {
    const { store, processFeed } = this.#deps;
    const read = members.flatMap((poll) => {
      const feed = observations.get(poll.key);
      return feed === undefined ? [] : [{ poll, feed }];
    });
    const joint = new JointCommit(store, read.length);
    const runs = read.map(
      async ({ poll, feed }) =>
        [poll.key, await joint.run((commits) => processFeed(poll, feed, commits))] as const,
    );
    return new Map(await Promise.all(runs));
  }

  /** Converts a time of the local clock to the service's clock. */
  toService = (localMs: number): number => this.#deps.serviceClock.fromLocal(localMs);

  #timesOf({ group, startedAtMs }: Running): ReadClock {
    const { serviceClock } = this.#deps;
    return {
      startMs: serviceClock.fromLocal(startedAtMs),
      intervalMs: group.intervalMs,
      nowMs: serviceClock.now,
    };
  }
}

const WRITE_EVERY_MS = 600_000;
/** The scope under which groups of every kind store what they have learned. */
export const GROUPS_SCOPE = "groups";

/**
 * Creates the store for what groups of one kind have learned, under the keys of the groups' polls.
 * `restore` adds what is not learned yet, and corrects what may have become outdated while the
 * daemon was stopped.
 */
export const createGroupMemories = <Memory extends object>(
  store: LearnedStore,
  clock: Clock,
  restore: (stored: Partial<Memory>) => Memory,
): LearnedValues<Memory> =>
  new LearnedValues<Memory>({
    scope: GROUPS_SCOPE,
    store,
    clock,
    writeEveryMs: WRITE_EVERY_MS,
    restore: (stored) => restore(stored as Partial<Memory>),
  });
