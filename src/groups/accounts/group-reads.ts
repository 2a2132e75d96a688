/**
 * Makes the reads of one run of a group of accounts: searches for many accounts at once, and reads
 * of single timelines. Stores what each answer shows in the memory of its account.
 */
import type { Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Log } from "../../model/log.ts";
import { isBadRequest, UpstreamError } from "../../model/upstream.ts";
import type { MergedMember, PlannedMember } from "../../polling/read/read-merged.ts";
import { joinOutcomes, type PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { PollRun } from "../../polling/run/poll-run.ts";
import { sideBySide } from "../../polling/run/side-by-side.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { type LearnedLimits, shrinkLimits, sizeOfBatch } from "../../query/merging/merge.ts";
import type { RefusalBackoff } from "../../requests/refusal-backoff.ts";
import { RequestHeld } from "../../requests/request-held.ts";
import type { GroupReading } from "../memory/group-reading.ts";
import { afterRefusal, isUnexplained } from "../probing/pending-changes.ts";
import { evaluateRead } from "../probing/evaluate-read.ts";
import { type ProbeStates, worthOfRead } from "../probing/probe-states.ts";
import { batchParts, type Part, partOf } from "./search-parts.ts";
import type { ReadTask } from "./group-tasks.ts";

export interface ReadQuery {
  readonly group: Poll;
  readonly tasks: readonly ReadTask[];
  readonly limits: LearnedLimits;
  readonly startedAtMs: number;
}

export interface GroupNews {
  readonly outcome: PollOutcome;
  /**
   * When the found posts were posted, in epoch ms of the local clock. The posts of an account's
   * first read are left out.
   */
  readonly postedMs: readonly number[];
  /**
   * The time from each post until it was found, in ms. Posts whose delay does not depend on how
   * often accounts are probed are left out.
   */
  readonly delaysMs: readonly number[];
  /** The limits on search queries, as learned from queries that the service refused. */
  readonly limits: LearnedLimits;
}

export interface GroupReadsDeps {
  readonly reading: GroupReading;
  readonly clock: Clock;
  readonly log: Log;
  readonly probeStates: ProbeStates;
  /** Groups for which the service refuses even a search for a single account. */
  readonly refusedSearches: RefusalBackoff;
}

interface ReadPart extends Part {
  readonly planned: PlannedMember;
}

/**
 * After this many reads of timelines their results are written to the state. Thousands of first
 * reads take minutes, and a crash must not lose all of them.
 */
const READS_KEPT_TOGETHER = 20;

/** The reads of one run of a group. */
export class GroupRead {
  readonly #deps: GroupReadsDeps;
  readonly #query: ReadQuery;
  readonly #byKey: ReadonlyMap<string, ReadTask>;
  /**
   * The tasks whose timelines are read after the searches. Tasks whose search failed or showed too
   * little are added during the run.
   */
  readonly #alone: ReadTask[];
  readonly #outcomes: PollOutcome[] = [];
  readonly #postedMs: number[] = [];
  readonly #delaysMs: number[] = [];
  #limits: LearnedLimits;
  #shortSearch: Promise<boolean> | undefined;

  constructor(deps: GroupReadsDeps, query: ReadQuery) {
    const { tasks } = query;
    this.#deps = deps;
    this.#query = query;
    this.#limits = query.limits;
    this.#byKey = new Map(tasks.map((task) => [task.member.poll.key, task]));
    this.#alone = tasks.filter(({ endpoint }) => endpoint === "timeline");
  }

  /**
   * Makes all reads.
   * @throws RequestHeld, or an UpstreamError about the key, if no request can be made at all
   */
  async read(): Promise<GroupNews> {
    const { group, tasks } = this.#query;
    const { refusedSearches, reading } = this.#deps;
    const searched = tasks.filter(({ endpoint }) => endpoint === "search");
    if (refusedSearches.isCoolingDown(group)) this.#alone.push(...this.#movedByTimelines(searched));
    else await this.#readBatches(await reading.plan(this.#query, this.#wantedOf(searched)));
    // The search index lags by seconds, sometimes by minutes. Accounts that changed but whose new
    // posts are missing from the search are read from their timelines in the same run, so that
    // their posts are not reported later than others.
    this.#alone.push(
      ...tasks
        .filter((task) => this.#isPending(task))
        .map(({ member }) => ({ member, endpoint: "timeline" as const, isFull: true })),
    );
    await this.#readTimelines();
    return {
      outcome: joinOutcomes(this.#outcomes),
      postedMs: this.#postedMs,
      delaysMs: this.#delaysMs,
      limits: this.#limits,
    };
  }

  #wantedOf(tasks: readonly ReadTask[]): readonly Omit<MergedMember, "source">[] {
    return tasks.map(({ member: { poll, userId }, reach }) => {
      const handle = this.#deps.probeStates.get(userId)?.handle ?? "";
      return {
        poll,
        feed: { kind: "from", userId, handle },
        reach,
      };
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
      const answer = await this.#deps.reading.together(this.#query, batch);
      if (answer.isCut)
        return void this.#alone.push(
          ...own.map((task) => ({ ...task, endpoint: "timeline" as const, isFull: true })),
        );
      const runs = await this.#deps.reading.processAll(
        own.map(({ member }) => member.poll),
        answer,
      );
      for (const task of own)
        this.#applyRead(task, runs.get(task.member.poll.key), answer.isSuspicious);
    } catch (error) {
      if (!isAboutSearch(error)) throw error;
      if (isBadRequest(error) && batch.length > 1 && (await this.#isShortTaken(batch)))
        return this.#readInSmallerBatches(batch);
      // The search failed, so the timelines of the accounts that are known to have changed are read
      // instead.
      this.#deps.log.warn("a merged search failed", { error: errorText(error) });
      this.#alone.push(...this.#movedByTimelines(own));
    }
  }

  #readInSmallerBatches(batch: readonly PlannedMember[]): Promise<void> {
    const { clock, log } = this.#deps;
    this.#limits = shrinkLimits(
      this.#limits,
      sizeOfBatch(batch.map(({ member }) => member.feed)),
      clock.now(),
    );
    log.info("a merged search was refused, asking for fewer accounts at once", {
      accounts: batch.length,
    });
    return this.#readBatches(batch);
  }

  /**
   * Whether the service answers a search for one account, after it refused one for several. If it
   * refuses both, the number of accounts is not the reason. The check is made once per run.
   */
  #isShortTaken(batch: readonly PlannedMember[]): Promise<boolean> {
    return (this.#shortSearch ??= this.#deps.reading.together(this.#query, batch.slice(0, 1)).then(
      () => true,
      (error: unknown) => {
        if (!isAboutSearch(error)) throw error;
        if (isBadRequest(error)) this.#deps.refusedSearches.recordRefusal(this.#query.group);
        return false;
      },
    ));
  }

  /**
   * Returns tasks that read the timelines of the accounts that are known to have changed. The other
   * accounts wait for a later search.
   */
  #movedByTimelines(tasks: readonly ReadTask[]): readonly ReadTask[] {
    const hasMoved = ({ member }: ReadTask) =>
      this.#deps.probeStates.get(member.userId)?.probe.open !== undefined;
    return tasks.filter(hasMoved).map((task) => ({ ...task, endpoint: "timeline" as const }));
  }

  #isPending({ member, endpoint }: ReadTask): boolean {
    const account = this.#deps.probeStates.get(member.userId);
    return endpoint === "search" && account !== undefined && isUnexplained(account.probe);
  }

  async #readTimelines(): Promise<void> {
    const { probeStates, reading } = this.#deps;
    let evaluated = 0;
    await sideBySide(this.#alone, async (task) => {
      const { poll, userId } = task.member;
      const run = await reading.alone(poll);
      this.#applyRead(task, run);
      if (reading.cooldowns.isCoolingDown(poll.key)) this.#markRefused(userId);
      evaluated += 1;
      if (evaluated % READS_KEPT_TOGETHER === 0) await probeStates.flush();
    });
  }

  /**
   * Updates the memory of an account after a read. `run` is undefined if the account was part of a
   * search that returned no post of it.
   */
  #applyRead(task: ReadTask, run: PollRun | undefined, isSuspiciousSearch = false): void {
    if (run?.outcome !== undefined) this.#outcomes.push(run.outcome);
    const {
      probeStates,
      clock,
      reading: { toService },
    } = this.#deps;
    const { poll, userId } = task.member;
    const before = probeStates.get(userId);
    if (
      before === undefined ||
      (run !== undefined && (run.outcome === undefined || run.outcome.error !== undefined))
    )
      return;
    const { startedAtMs } = this.#query;
    const isSuspicious = isSuspiciousSearch || run?.outcome?.isSuspicious === true;
    const times = { startedAtMs, nowMs: clock.now(), toService };
    const { endpoint, isFull } = task;
    const read = {
      endpoint,
      isFull,
      overlapMs: poll.overlapMs,
      outcome: run?.outcome,
      isSuspicious,
    };
    const { account, postedMs, delaysMs } = evaluateRead(before, read, times);
    this.#postedMs.push(...postedMs);
    this.#delaysMs.push(...delaysMs);
    probeStates.put(userId, account, worthOfRead(before.probe, account.probe));
    if (!isSuspicious && account.probe.isBlind === true)
      probeStates.put(userId, { ...account, searchedAtMs: startedAtMs }, "later");
  }

  #markRefused(userId: string): void {
    const { probeStates, clock } = this.#deps;
    const account = probeStates.get(userId);
    if (account !== undefined)
      probeStates.put(
        userId,
        { ...account, probe: afterRefusal(account.probe, clock.now()) },
        "later",
      );
  }
}

/**
 * Whether an error only concerns the search. False for errors that would affect reads of timelines
 * as well, such as a missing key, a spent quota or a store error.
 */
const isAboutSearch = (error: unknown): boolean =>
  error instanceof RequestHeld
    ? error.reason === "backoff" || error.reason === "pace"
    : error instanceof UpstreamError && error.kind !== "unauthorized" && error.kind !== "billing";
