/**
 * Makes a run of a group of account lists: requests all counters in as few requests as possible,
 * reads the lists whose counter changed, and stores what was learned. Decides on the order of these
 * steps. list-reads.ts decides what a change means; the poll runner decides what a member means.
 */
import type { GroupRunner } from "../kind/group-runner.ts";
import { BATCH_SIZE } from "../../model/batch.ts";
import { unitHash } from "../../model/hash.ts";
import { firstProbe } from "../probing/pending-changes.ts";
import { isReadByEveryPoll } from "../../plan/polls/full-read.ts";
import { afterListRead, changedSince } from "./list-reads.ts";
import { learnPosts } from "../../plan/rates/rates.ts";
import { fullPollOfListsEvery, listsOf } from "./list-groups.ts";
import { isSameTick } from "../../plan/polls/tick-grid.ts";
import { type GroupMember, membersOf } from "../memory/group-members.ts";
import { GroupProbes, type GroupProbesDeps } from "../probing/group-probes.ts";
import type { GroupRun } from "../../polling/run/poll-run.ts";
import {
  joinOutcomes,
  type ListOutcome,
  type PollOutcome,
} from "../../polling/run/poll-outcome.ts";
import { sideBySide } from "../../polling/run/side-by-side.ts";
import type { GroupReading, ReadRun } from "../memory/group-reading.ts";
import {
  type AccountMemory,
  learnedRate,
  type ProbeStates,
  worthOfRead,
} from "../probing/probe-states.ts";
import { type ListTask, listTasks } from "./list-tasks.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface MemberListRunnerDeps extends Pick<GroupProbesDeps, "profiles" | "clock" | "log"> {
  readonly reading: GroupReading;
  readonly probeStates: ProbeStates;
}

/** The state of one run. */
interface Run {
  readonly group: Poll;
  /**
   * Poll keys of lists that change at nearly every tick. They are read at every tick, and probed
   * only if a probe request has a free place.
   */
  readonly everyTick: ReadonlySet<string>;
  readonly fullPollEveryMs: number;
  /**
   * Poll keys of the lists whose counter was requested; undefined if the service refuses probes.
   */
  readonly probed: ReadonlySet<string> | undefined;
  readonly outcomes: PollOutcome[];
  /** The times (epoch ms) at which lists that could not be read may be tried again. */
  readonly retriesMs: number[];
}

export class MemberListsRunner implements GroupRunner {
  readonly #deps: MemberListRunnerDeps;
  readonly #probes: GroupProbes;
  /** When each group was last probed since the process started, by the group's key. */
  readonly #probedAtMs = new Map<string, number>();

  constructor(deps: MemberListRunnerDeps) {
    const { reading, profiles, probeStates, clock, log } = deps;
    const { release } = reading.cooldowns;
    this.#deps = deps;
    this.#probes = new GroupProbes({
      profiles,
      clock,
      log,
      probeStates,
      first: firstProbe,
      release,
    });
  }

  run(group: Poll): Promise<GroupRun> {
    const { reading, probeStates } = this.#deps;
    return reading.run(group, [probeStates], (startedAtMs) => this.#readLists(group, startedAtMs));
  }

  async #readLists(group: Poll, startedAtMs: number): Promise<ReadRun> {
    const { probeStates } = this.#deps;
    await probeStates.load();
    const lists = listsOf(group, {
      rateOf: (key) => learnedRate(probeStates.get(key), startedAtMs),
      pagesOf: ({ key }) => probeStates.get(key)?.pages,
    });
    const everyTick = new Set(
      group.group?.members.flatMap(({ key }, index) =>
        lists[index]?.isReadEveryTick === true ? [key] : [],
      ),
    );
    const probed = await this.#probe(group, everyTick);
    await probeStates.flush();
    const run: Run = {
      group,
      everyTick,
      fullPollEveryMs: fullPollOfListsEvery(group, lists),
      probed,
      outcomes: [],
      retriesMs: [],
    };
    await sideBySide(this.#tasksOf(run), (task) => this.#read(task, run));
    return { outcome: joinOutcomes(run.outcomes), nextDueMs: retryAtMs(run, startedAtMs) };
  }

  /**
   * Requests the counters. Returns the keys of the lists whose counter was requested; undefined if
   * the service refuses probes.
   */
  async #probe(
    group: Poll,
    everyTick: ReadonlySet<string>,
  ): Promise<ReadonlySet<string> | undefined> {
    const { probeStates, clock } = this.#deps;
    const nowMs = clock.now();
    // A run between two ticks is made for new members, so it requests only their counters.
    const isExtra = isSameTick(group, this.#probedAtMs.get(group.key) ?? 0, nowMs);
    const asked = askedFor(membersOf(group), everyTick).filter(
      ({ key }) => !isExtra || probeStates.get(key) === undefined,
    );
    if (asked.length === 0) return new Set();
    const answer = await this.#probes.probe(group, asked);
    if (answer === "refused") return undefined;
    if (answer === "suspicious") return new Set();
    this.#probedAtMs.set(group.key, nowMs);
    return new Set(asked.map(({ key }) => key));
  }

  #tasksOf({ group, everyTick, fullPollEveryMs, probed }: Run): readonly ListTask[] {
    const { probeStates, clock, reading } = this.#deps;
    return listTasks({
      members: group.group?.members ?? [],
      accountOf: (key) => probeStates.get(key),
      subscribersOf,
      isCoolingDown: reading.cooldowns.isCoolingDown,
      isReadEveryTick: (key) => probed === undefined || everyTick.has(key),
      fullPollEveryMs,
      intervalMs: group.intervalMs,
      nowMs: clock.now(),
    });
  }

  async #read(task: ListTask, run: Run): Promise<void> {
    const { aftermath, outcome } = await this.#deps.reading.alone(task.poll);
    if (aftermath.retryAtMs !== undefined) run.retriesMs.push(aftermath.retryAtMs);
    if (outcome === undefined) return;
    run.outcomes.push(outcome);
    if (outcome.list !== undefined && outcome.error === undefined)
      this.#applyRead(task, outcome, outcome.list, run);
  }

  /** Updates the memory of a list after a read. */
  #applyRead(
    { poll, reason }: ListTask,
    outcome: PollOutcome,
    list: ListOutcome,
    { probed, fullPollEveryMs }: Run,
  ): void {
    const { probeStates, clock } = this.#deps;
    const nowMs = clock.now();
    const known = probeStates.get(poll.key) ?? {
      probe: firstProbe({}, nowMs),
      rate: { posts: 0, days: 0, excited: 0, atMs: nowMs },
      handle: "",
      checkedAtMs: nowMs,
    };
    const { left, awaited, pages, beganAtMs, isUnderWay } = list;
    // If a list is read completely only once a day, even the complete read counts like a read of
    // the newest part, because the reads that it is compared with cover no more.
    const isWhole = isReadByEveryPoll(poll);
    if (isUnderWay || (isWhole && pages === undefined))
      return probeStates.put(poll.key, withoutReader(known), "later");
    const isFirst = outcome.baselined.length === poll.subscribers.length;
    const joined = isFirst ? 0 : outcome.newItems;
    const isSilent = reason === "full" && probed?.has(poll.key) === true;
    const lastFullAtMs = isFirst ? spreadBack(poll.key, nowMs, fullPollEveryMs) : nowMs;
    const explained = isFirst
      ? firstProbe(known.probe.fields, lastFullAtMs)
      : afterListRead(known.probe, { joined, left, awaited, isWhole, isSilent }, nowMs);
    const probeAfter =
      isWhole && changedSince(known.probe, beganAtMs ?? nowMs)
        ? { ...known.probe, fullAtMs: lastFullAtMs }
        : explained;
    const isMoved = reason === "moved" || (reason === "tick" && joined + left + awaited > 0);
    const after: AccountMemory = {
      ...known,
      probe: { ...probeAfter, probedAtMs: known.probe.probedAtMs },
      rate: isMoved ? learnPosts(known.rate, [nowMs], nowMs) : known.rate,
      readFor: subscribersOf(poll),
      pages,
    };
    probeStates.put(poll.key, after, worthOfRead(known.probe, probeAfter));
  }
}

/**
 * Returns the members to probe. Lists that are read at every tick are only added to free places of
 * the probe requests.
 */
function askedFor(
  members: readonly GroupMember[],
  everyTick: ReadonlySet<string>,
): readonly GroupMember[] {
  const due = members.filter(({ key }) => !everyTick.has(key));
  const room = Math.ceil(due.length / BATCH_SIZE) * BATCH_SIZE - due.length;
  return [...due, ...members.filter(({ key }) => everyTick.has(key)).slice(0, room)];
}

/**
 * Returns a number that changes if the subscribers of a poll change. A new subscriber, or one that
 * was paused, has not seen what was read before.
 */
const subscribersOf = ({ subscribers }: Poll): number =>
  unitHash(
    subscribers
      .map(
        ({ watchKey, targetKey, returnedAtMs = "" }) => `${watchKey}\n${targetKey}${returnedAtMs}`,
      )
      .sort()
      .join("\n"),
  );

function withoutReader({ readFor: _, ...account }: AccountMemory): AccountMemory {
  return account;
}

/**
 * Returns a time of the last full poll that lies in the past and differs for each list, so that
 * lists that were all read at the start do not become due at the same time.
 */
const spreadBack = (key: string, nowMs: number, everyMs: number): number =>
  nowMs - Math.floor(unitHash(key) * everyMs);

/**
 * Returns when the earliest list that could not be read is tried again; undefined if that is not
 * before the next tick.
 */
function retryAtMs({ group, retriesMs }: Run, startedAtMs: number): number | undefined {
  const earliestMs = Math.min(...retriesMs);
  return earliestMs < startedAtMs + group.intervalMs ? earliestMs : undefined;
}
