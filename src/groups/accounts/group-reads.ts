/** Carries out what a run of a group reads: searches many at once, timelines one by one, and writes what both mean to the accounts. */
import type { Cooldowns } from "../../model/backoff.ts";
import type { Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Log } from "../../model/log.ts";
import type { PollStore } from "../../model/poll-store.ts";
import { isBadRequest, UpstreamError } from "../../model/upstream.ts";
import { type AskSearch, askSearch } from "../../polling/ask.ts";
import { type MergedMember, planMembers, type PlannedMember, type ReadClock, readMerged } from "../../polling/read/read-merged.ts";
import { joinOutcomes, type PollOutcome } from "../../polling/run/poll-outcome.ts";
import { cooldownMs, type PollRun } from "../../polling/run/poll-run.ts";
import type { RunMember } from "../../polling/run/run-member.ts";
import { sideBySide } from "../../polling/run/side-by-side.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { type LearnedLimits, shrinkLimits, sizeOfBatch } from "../../query/merging/merge.ts";
import { createRefusalBackoff, type RefusalBackoff } from "../../requests/refusal-backoff.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import { RequestHeld } from "../../requests/request-held.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import type { GroupMembers } from "../memory/group-members.ts";
import { afterRefusal, isUnexplained } from "../probing/pending-changes.ts";
import { evaluateRead } from "../probing/evaluate-read.ts";
import { type ProbeStates, worthOfRead } from "../probing/probe-states.ts";
import { batchParts, type Part, partOf } from "./search-parts.ts";
import type { ReadTask } from "./group-tasks.ts";

export interface GroupReads {
  /** @throws RequestHeld, or an UpstreamError about the key: nothing can be asked at all. */
  read(query: ReadQuery): Promise<GroupNews>;
}

export interface ReadQuery {
  readonly group: Poll;
  readonly tasks: readonly ReadTask[];
  readonly limits: LearnedLimits;
  readonly startedAtMs: number;
}

export interface GroupNews {
  readonly outcome: PollOutcome;
  /** When posts were posted, without those of first reads; our clock. */
  readonly postedMs: readonly number[];
  /** How long after that they were found, as far as it depends on how often is probed. */
  readonly delaysMs: readonly number[];
  /** What the service took, by what it refused. */
  readonly limits: LearnedLimits;
}

export interface GroupReadsDeps extends RunMember {
  readonly store: Pick<PollStore, "loadSources">;
  readonly gate: RequestGate;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly log: Log;
  readonly probeStates: ProbeStates;
  readonly readiness: Pick<GroupMembers, "doubt">;
  readonly cooldowns: Pick<Cooldowns, "begin" | "isCoolingDown">;
}

interface ReadPart extends Part {
  readonly planned: PlannedMember;
}

/** Thousands of first reads take minutes: what they showed is written this many at a time. */
const READS_KEPT_TOGETHER = 20;

export function createGroupReads(deps: GroupReadsDeps): GroupReads {
  const refusedSearches = createRefusalBackoff(deps.clock);
  return { read: (query) => new GroupRead(deps, refusedSearches, query).read() };
}

/** What one run of a group reads. */
class GroupRead {
  readonly #deps: GroupReadsDeps;
  /** Groups of which even a search for one account is refused. */
  readonly #refusedSearches: RefusalBackoff;
  readonly #query: ReadQuery;
  readonly #byKey: ReadonlyMap<string, ReadTask>;
  readonly #times: ReadClock;
  readonly #ask: AskSearch;
  /** What is read from timelines once the searches are done. */
  readonly #alone: ReadTask[];
  readonly #outcomes: PollOutcome[] = [];
  readonly #postedMs: number[] = [];
  readonly #delaysMs: number[] = [];
  #limits: LearnedLimits;
  #shortSearch: Promise<boolean> | undefined;

  constructor(deps: GroupReadsDeps, refusedSearches: RefusalBackoff, query: ReadQuery) {
    const { group, tasks, startedAtMs } = query;
    const { serviceClock } = deps;
    this.#deps = deps;
    this.#refusedSearches = refusedSearches;
    this.#query = query;
    this.#limits = query.limits;
    this.#byKey = new Map(tasks.map((task) => [task.member.poll.key, task]));
    this.#times = { startMs: serviceClock.fromLocal(startedAtMs), intervalMs: group.intervalMs, nowMs: serviceClock.now };
    this.#alone = tasks.filter(({ endpoint }) => endpoint === "timeline");
    this.#ask = askSearch(deps.gate, group);
  }

  async read(): Promise<GroupNews> {
    const { group, tasks } = this.#query;
    const searched = tasks.filter(({ endpoint }) => endpoint === "search");
    if (this.#refusedSearches.isCoolingDown(group)) this.#alone.push(...this.#movedByTimelines(searched));
    else await this.#readBatches(planMembers(await this.#mergedMembers(searched), this.#times));
    // What moved and is not in the search, which lags for seconds and now and then for minutes, is reported no later than the rest.
    this.#alone.push(
      ...tasks.filter((task) => this.#isPending(task)).map(({ member }) => ({ member, endpoint: "timeline" as const, isFull: true })),
    );
    await this.#readTimelines();
    return {
      outcome: joinOutcomes(this.#outcomes),
      postedMs: this.#postedMs,
      delaysMs: this.#delaysMs,
      limits: this.#limits,
    };
  }

  async #mergedMembers(tasks: readonly ReadTask[]): Promise<readonly MergedMember[]> {
    const sources = await this.#deps.store.loadSources(tasks.map(({ member }) => member.poll.key));
    return tasks.flatMap(({ member, reach }, index) => {
      const source = sources[index];
      const handle = this.#deps.probeStates.get(member.userId)?.handle ?? "";
      const feed = { kind: "from", userId: member.userId, handle } as const;
      return source === undefined ? [] : [{ poll: member.poll, source, feed, ...(reach === undefined ? {} : { reach }) }];
    });
  }

  async #readBatches(planned: readonly PlannedMember[]): Promise<void> {
    const parts = planned.flatMap((one) => this.#partsOf(one));
    const batches = batchParts(parts, this.#limits);
    await Promise.all(batches.map((batch) => this.#readBatch(batch.map((part) => part.planned))));
  }

  #partsOf(planned: PlannedMember): readonly ReadPart[] {
    const { probeStates, clock } = this.#deps;
    const { feed } = planned.member;
    const account = feed.kind === "from" ? probeStates.get(feed.userId) : undefined;
    if (feed.kind !== "from" || account === undefined) return [];
    return [{ ...partOf(feed.userId, account, planned.plan.walk.floorMs, clock.now()), planned }];
  }

  async #readBatch(batch: readonly PlannedMember[]): Promise<void> {
    const own = batch.flatMap(({ member }) => this.#byKey.get(member.poll.key) ?? []);
    try {
      const { observations, isCut, isSuspicious } = await readMerged(this.#ask, batch, this.#times);
      if (isCut) return void this.#alone.push(...own.map((task) => ({ ...task, endpoint: "timeline" as const, isFull: true })));
      await sideBySide(own, async (task) => {
        const feed = observations.get(task.member.poll.key);
        const run = feed === undefined ? undefined : await this.#deps.take(task.member.poll, feed);
        this.#applyRead(task, run, isSuspicious);
      });
    } catch (error) {
      if (!isAboutSearch(error)) throw error;
      if (isBadRequest(error) && batch.length > 1 && (await this.#isShortTaken(batch))) return this.#readInSmallerBatches(batch);
      // The search fails: what is known to have moved is read where it was posted.
      this.#deps.log.warn("a merged search failed", { error: errorText(error) });
      this.#alone.push(...this.#movedByTimelines(own));
    }
  }

  #readInSmallerBatches(batch: readonly PlannedMember[]): Promise<void> {
    const { clock, log } = this.#deps;
    this.#limits = shrinkLimits(this.#limits, sizeOfBatch(batch.map(({ member }) => member.feed)), clock.now());
    log.info("a merged search was refused, asking for fewer accounts at once", { accounts: batch.length });
    return this.#readBatches(batch);
  }

  /** Whether a search for one account is answered where one for many was refused: else it is not their number. Asked once a run. */
  #isShortTaken(batch: readonly PlannedMember[]): Promise<boolean> {
    return (this.#shortSearch ??= readMerged(this.#ask, batch.slice(0, 1), this.#times).then(
      () => true,
      (error: unknown) => {
        if (!isAboutSearch(error)) throw error;
        if (isBadRequest(error)) this.#refusedSearches.holdMs(this.#query.group);
        return false;
      },
    ));
  }

  /** What is known to have moved; the rest waits for a search. */
  #movedByTimelines(tasks: readonly ReadTask[]): readonly ReadTask[] {
    const hasMoved = ({ member }: ReadTask) => this.#deps.probeStates.get(member.userId)?.probe.open !== undefined;
    return tasks.filter(hasMoved).map((task) => ({ ...task, endpoint: "timeline" as const }));
  }

  #isPending({ member, endpoint }: ReadTask): boolean {
    const account = this.#deps.probeStates.get(member.userId);
    return endpoint === "search" && account !== undefined && isUnexplained(account.probe);
  }

  async #readTimelines(): Promise<void> {
    const { probeStates, cooldowns, clock } = this.#deps;
    let evaluated = 0;
    await sideBySide(this.#alone, async (task) => {
      const { poll, userId } = task.member;
      const run = await this.#deps.runOne(poll);
      cooldowns.begin(poll.key, cooldownMs(run, clock.now()));
      this.#applyRead(task, run);
      if (cooldowns.isCoolingDown(poll.key)) this.#markRefused(userId);
      evaluated += 1;
      if (evaluated % READS_KEPT_TOGETHER === 0) await probeStates.flush();
    });
  }

  /** `run`: undefined where the search that the member was part of showed nothing of it. */
  #applyRead(task: ReadTask, run: PollRun | undefined, isSuspiciousSearch = false): void {
    if (run?.outcome !== undefined) this.#outcomes.push(run.outcome);
    const { probeStates, clock, serviceClock, readiness } = this.#deps;
    const { poll, userId } = task.member;
    const before = probeStates.get(userId);
    if (before === undefined || (run !== undefined && (run.outcome === undefined || run.outcome.error !== undefined))) return;
    const { startedAtMs } = this.#query;
    const isSuspicious = isSuspiciousSearch || run?.outcome?.isSuspicious === true;
    const toService = (localMs: number) => serviceClock.fromLocal(localMs);
    const times = { startedAtMs, nowMs: clock.now(), serviceMs: serviceClock.now(), toService };
    const { endpoint, isFull } = task;
    const read = { endpoint, isFull, overlapMs: poll.overlapMs, outcome: run?.outcome, isSuspicious };
    const { account, postedMs, delaysMs } = evaluateRead(before, read, times);
    this.#postedMs.push(...postedMs);
    this.#delaysMs.push(...delaysMs);
    probeStates.put(userId, account, worthOfRead(before.probe, account.probe));
    if (endpoint === "timeline") readiness.doubt(poll.key);
    if (!isSuspicious && account.probe.isBlind === true) probeStates.put(userId, { ...account, searchedAtMs: startedAtMs }, "later");
  }

  #markRefused(userId: string): void {
    const { probeStates, clock } = this.#deps;
    const account = probeStates.get(userId);
    if (account !== undefined) probeStates.put(userId, { ...account, probe: afterRefusal(account.probe, clock.now()) }, "later");
  }
}

/** Nothing that would keep a timeline from being read too: no key, no quota, a store's error. */
const isAboutSearch = (error: unknown): boolean =>
  error instanceof RequestHeld
    ? error.reason === "backoff" || error.reason === "pace"
    : error instanceof UpstreamError && error.kind !== "unauthorized" && error.kind !== "billing";
