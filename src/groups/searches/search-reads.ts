/**
 * Makes the reads of one run of a group of searches: several members with a merged query, whose
 * results are attributed to the members whose queries they match, and members on their own.
 */
import { isRefusal } from "../../model/upstream.ts";
import type { MergedAnswer, PlannedMember } from "../../polling/read/read-merged.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { PollRun } from "../../polling/run/poll-run.ts";
import { sideBySide } from "../../polling/run/side-by-side.ts";
import { batchMembers, sizeOfBatch } from "../../query/merging/merge.ts";
import type { GroupReading } from "../memory/group-reading.ts";
import {
  createSuspiciousSearches,
  type Doubt,
  type DoubtDeps,
  resolveDoubt,
} from "./search-doubts.ts";
import { queryOf } from "./search-groups.ts";
import {
  afterAlone,
  afterShared,
  objectionTo,
  type SearchReadTimes,
} from "./search-memory-after.ts";
import { quarantine, type SearchScene } from "./search-scene.ts";
import { byItself, type SearchTask } from "./search-tasks.ts";

export interface SearchReadsDeps extends DoubtDeps {
  readonly reading: GroupReading;
}

/**
 * The number of tweets per member that are remembered for the comparison with a verification read.
 */
const MAX_ITEMS = 200;

export class SearchReads {
  readonly #deps: SearchReadsDeps;
  /**
   * The ids and times (epoch ms) of the tweets that merged searches returned since the last
   * verification read, by poll key.
   */
  readonly #mergedItems = new Map<string, Map<string, number>>();
  readonly #suspiciousSearches = createSuspiciousSearches();

  constructor(deps: SearchReadsDeps) {
    this.#deps = deps;
  }

  /**
   * Reads searches together. Returns the first error that kept a merged search from being read; the
   * members of that search wait for the next run.
   */
  async readTogether(scene: SearchScene, tasks: readonly SearchTask[]): Promise<Error | undefined> {
    const byKey = new Map(tasks.map((task) => [task.poll.key, task]));
    const batches = await this.#batchesOf(scene, tasks);
    let failure: Error | undefined;
    await sideBySide(batches, async (batch) => {
      const own = batch.flatMap(({ member }) => byKey.get(member.poll.key) ?? []);
      // A batch with a single search needs no attribution, so the search is read on its own.
      if (own.length === 1) {
        const alone = own.map((task) =>
          scene.members.get(task.poll.key)?.isUnproven === true
            ? this.#verifying(scene, task)
            : task,
        );
        return void (await this.readAlone(scene, alone));
      }
      try {
        const doubt = await this.#readBatch(scene, batch, own);
        if (doubt !== undefined)
          resolveDoubt(scene, doubt, await this.readAlone(scene, doubt.tasks), this.#deps);
      } catch (error) {
        failure ??= error instanceof Error ? error : new Error(String(error));
      }
    });
    return failure;
  }

  /**
   * Reads searches on their own. Returns the outcomes of the reads that were complete, by poll key.
   */
  async readAlone(
    scene: SearchScene,
    tasks: readonly SearchTask[],
  ): Promise<ReadonlyMap<string, PollOutcome>> {
    const whole = new Map<string, PollOutcome>();
    await sideBySide(tasks, async (task) => {
      const run = await this.#deps.reading.alone(task.poll, task.reach);
      this.#applyOwnRead(scene, task, run);
      if (run.outcome?.shown !== undefined && run.outcome.error === undefined)
        whole.set(task.poll.key, run.outcome);
    });
    return whole;
  }

  async #batchesOf(
    scene: SearchScene,
    tasks: readonly SearchTask[],
  ): Promise<readonly (readonly PlannedMember[])[]> {
    const wanted = tasks.flatMap(({ poll, reach }) => {
      const query = queryOf(poll);
      return query === undefined
        ? []
        : [
            {
              poll,
              feed: { kind: "query", query } as const,
              reach,
            },
          ];
    });
    const planned = await this.#deps.reading.plan(scene, wanted);
    return batchMembers(planned, ({ member }) => member.feed, scene.memory.limits);
  }

  /**
   * Reads a batch with one merged query. Returns why its answer cannot be used; undefined if the
   * answer was used.
   * @throws an error that has nothing to do with the query
   */
  async #readBatch(
    scene: SearchScene,
    batch: readonly PlannedMember[],
    tasks: readonly SearchTask[],
  ): Promise<Doubt | undefined> {
    const verifying = (some: readonly SearchTask[]) =>
      some.map((task) => this.#verifying(scene, task));
    try {
      const answer = await this.#deps.reading.together(scene, batch);
      const fresh = answer.unattributed
        .map(({ id }) => id)
        .filter((id) => !scene.memory.strays.includes(id));
      if (answer.isCut) return { tasks, unattributed: [], reason: "cut" };
      if (fresh.length > 0)
        return { tasks: verifying(tasks), unattributed: fresh, reason: "unattributed" };
      await this.#applyAnswer(scene, tasks, answer);
      const missing = this.#suspiciousSearches.countAnswer(batch, answer.isSuspicious);
      const own = tasks.filter(({ poll }) => poll.key === missing?.member.poll.key);
      return own.length === 0
        ? undefined
        : { tasks: verifying(own), unattributed: [], reason: "suspicious" };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const size =
        error.kind === "bad_request"
          ? { size: sizeOfBatch(batch.map(({ member }) => member.feed)) }
          : {};
      return { tasks, unattributed: [], reason: "refused", ...size };
    }
  }

  async #applyAnswer(
    scene: SearchScene,
    tasks: readonly SearchTask[],
    answer: MergedAnswer,
  ): Promise<void> {
    const runs = await this.#deps.reading.processAll(
      tasks.map(({ poll }) => poll),
      answer,
    );
    for (const task of tasks) {
      const { key } = task.poll;
      const member = scene.members.get(key);
      const run = runs.get(key);
      if (run?.outcome !== undefined) scene.outcomes.push(run.outcome);
      if (member === undefined || (run !== undefined && run.outcome === undefined)) continue;
      if (answer.isSuspicious) scene.members.set(key, { ...member, triedAtMs: scene.startedAtMs });
      else {
        scene.members.set(key, afterShared(member, task, run?.outcome, this.#readTimesOf(scene)));
        this.#remember(key, answer.observations.get(key)?.items ?? []);
      }
    }
  }

  /** Updates the memory of a member that was read on its own. */
  #applyOwnRead(scene: SearchScene, task: SearchTask, run: PollRun): void {
    const { key } = task.poll;
    const { outcome } = run;
    if (outcome === undefined) return;
    scene.outcomes.push(outcome);
    if (outcome.error !== undefined) return;
    const before = scene.members.get(key);
    const after = afterAlone(before, task, outcome, this.#readTimesOf(scene));
    if (after === undefined) return;
    scene.members.set(key, after);
    if (before === undefined) scene.isWorthWriting = true;
    if (before !== undefined && task.isVerification && outcome.shown !== undefined)
      this.#compare(scene, task, outcome, before.sweptAtMs);
  }

  /**
   * Compares a verification read with what merged searches returned for the member since its last
   * rescan.
   */
  #compare(scene: SearchScene, task: SearchTask, outcome: PollOutcome, sweptAtMs: number): void {
    const { key, overlapMs } = task.poll;
    const lagMs = Math.min(overlapMs, scene.verifyEveryMs / 2);
    const sinceMs = this.#deps.reading.toService(sweptAtMs) - lagMs;
    const objection = objectionTo(task, outcome, this.#mergedItems.get(key) ?? new Map(), sinceMs);
    this.#mergedItems.delete(key);
    if (objection !== undefined) quarantine(scene, task.poll, objection, this.#deps.log);
  }

  #remember(key: string, items: readonly { readonly id: string; readonly timeMs: number }[]): void {
    const own = this.#mergedItems.get(key) ?? new Map<string, number>();
    for (const { id, timeMs } of items) if (own.size < MAX_ITEMS) own.set(id, timeMs);
    this.#mergedItems.set(key, own);
  }

  /**
   * Returns the task as a verification read of the member's own query. Used if a tweet matched no
   * query: the tweet belongs to one of the members, and the merged search may have missed further
   * tweets of that member.
   */
  #verifying(scene: SearchScene, task: SearchTask): SearchTask {
    const member = scene.members.get(task.poll.key);
    const { toService } = this.#deps.reading;
    return member === undefined
      ? task
      : byItself(
          task.poll,
          { ...member, isUnproven: true },
          { nowMs: scene.startedAtMs, toService },
        );
  }

  #readTimesOf({ startedAtMs, verifyEveryMs }: SearchScene): SearchReadTimes {
    const { clock, reading } = this.#deps;
    return { startedAtMs, serviceMs: reading.toService(clock.now()), verifyEveryMs };
  }
}
