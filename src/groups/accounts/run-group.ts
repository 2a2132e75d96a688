/**
 * Makes a run of a group of accounts: probes the members that are due, reads those that changed or
 * are due for a full poll, and stores what was learned. Decides on the order of these steps.
 * probing/ decides what a change means; the poll runner decides what a post means.
 */
import type { Clock } from "../../model/clock.ts";
import type { LearnedStore } from "../../model/learned.ts";
import type { Log } from "../../model/log.ts";
import type { Priority } from "../../model/schedule.ts";
import { learnHours } from "../../plan/rates/rates.ts";
import type { GroupRun } from "../../polling/run/poll-run.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { growLimits } from "../../query/merging/merge.ts";
import type { Profiles } from "../../requests/profiles.ts";
import type { GroupRunner } from "../kind/group-runner.ts";
import { membersOf } from "../memory/group-members.ts";
import type { LearnedValues } from "../memory/learned-values.ts";
import { createGroupMemories, type GroupReading, type ReadRun } from "../memory/group-reading.ts";
import { createRefusalBackoff, type RefusalBackoff } from "../../requests/refusal-backoff.ts";
import { GroupProbes } from "../probing/group-probes.ts";
import { neverProbed } from "../probing/pending-changes.ts";
import type { ProbeStates } from "../probing/probe-states.ts";
import { createSpareSlots, type SpareSlots } from "./spare-slots.ts";
import { type GroupMemory, restoreGroup } from "./group-memory.ts";
import { fullPollEvery } from "./account-estimate.ts";
import { GroupRead } from "./group-reads.ts";
import { tasksOf } from "./group-tasks.ts";
import { createFreshnessPacer, type FreshnessPacerDeps } from "./pacing/freshness-pacer.ts";
import {
  createSchedulePacer,
  type GroupPacer,
  type ProbedRun,
  type ReadPlan,
  type Run,
} from "./pacing/group-pacer.ts";
import { createTurns } from "./pacing/turns.ts";

export interface GroupDeps {
  readonly reading: GroupReading;
  readonly store: LearnedStore;
  readonly probeStates: ProbeStates;
  readonly profiles: Pick<Profiles, "ask" | "recent" | "fillSpareSlots">;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Returns the factor by which polls of a priority are slowed down while the quota is short; 1 if
   * they are not.
   */
  readonly slowDownOf: (priority: Priority) => number;
  /** Makes a group run now. */
  readonly wake: (groupKey: string) => void;
}

export class AccountsRunner implements GroupRunner {
  readonly #deps: GroupDeps;
  readonly #memories: LearnedValues<GroupMemory>;
  readonly #refusedSearches: RefusalBackoff;
  readonly #probes: GroupProbes;
  readonly #pacing: FreshnessPacerDeps;
  readonly #spareSlots: SpareSlots;

  constructor(deps: GroupDeps) {
    const { reading, store, profiles, clock, log, probeStates, slowDownOf } = deps;
    const { release } = reading.cooldowns;
    this.#deps = deps;
    this.#memories = createGroupMemories(store, clock, restoreGroup);
    this.#refusedSearches = createRefusalBackoff(clock);
    this.#probes = new GroupProbes({
      profiles,
      clock,
      log,
      probeStates,
      first: neverProbed,
      release,
    });
    const turns = createTurns((userId) => probeStates.get(userId));
    const memoryOf = ({ key }: Poll) => this.#memories.get(key);
    this.#pacing = {
      turns,
      punctuality: new Map(),
      probes: this.#probes,
      clock,
      slowDownOf,
      memoryOf,
    };
    this.#spareSlots = createSpareSlots({
      waitingOf: (group) => {
        const memory = memoryOf(group);
        return memory === undefined || slowDownOf(group.priority) > 1
          ? []
          : turns(membersOf(group), memory.profile, clock.now());
      },
      apply: (member, seen) => this.#probes.applyShown(member, seen),
      wake: deps.wake,
    });
    profiles.fillSpareSlots(this.#spareSlots);
  }

  async run(group: Poll): Promise<GroupRun> {
    try {
      const wasHelped = this.#spareSlots.begin(group.key);
      const { reading, probeStates } = this.#deps;
      const read = (startedAtMs: number) => this.#readGroup(group, startedAtMs, wasHelped);
      return await reading.run(group, [this.#memories, probeStates], read);
    } finally {
      this.#spareSlots.end(group.key);
    }
  }

  keepOnly(polls: readonly Poll[]): void {
    this.#spareSlots.keepOnly(
      polls.filter((poll) => poll.group?.kind === "accounts" && this.pacerOf(poll).fillsSpareSlots),
    );
  }

  pacerOf(group: Poll): GroupPacer {
    const { timing } = group;
    if (timing.kind === "schedule") return createSchedulePacer(group, this.#probes);
    return createFreshnessPacer(group, timing.freshness, this.#pacing);
  }

  close(): Promise<void> {
    return this.#memories.close();
  }

  async #readGroup(group: Poll, startedAtMs: number, wasHelped: boolean): Promise<ReadRun> {
    await this.#deps.probeStates.load();
    const memory = (await this.#memories.find(group.key)) ?? restoreGroup({});
    const pacer = this.pacerOf(group);
    const members = membersOf(group);
    const unready = await this.#deps.reading.readiness.unready(group.group?.members ?? []);
    const run = { group, pacer, members, unready, startedAtMs, wasHelped };
    return this.#readProbed(await this.#probe(run, memory));
  }

  async #probe(run: Run, stored: GroupMemory): Promise<ProbedRun> {
    const { probeStates } = this.#deps;
    const { group, pacer, members, startedAtMs } = run;
    const memory = { ...stored, limits: growLimits(stored.limits, startedAtMs) };
    const unknown = members.filter(({ userId }) => probeStates.get(userId) === undefined);
    const { all: due, awaited } = pacer.turn(run, memory, run.wasHelped || unknown.length > 0);
    const seen = new Set(unknown.filter((member) => this.#probes.applyRecent(member)));
    const asked = [...new Set([...unknown, ...due])].filter((member) => !seen.has(member));
    const answer = await this.#probes.probe(group, asked);
    await probeStates.flush();
    const isOfAll = asked.length + seen.size === members.length;
    return {
      ...run,
      memory: isOfAll ? { ...memory, probedAtMs: startedAtMs } : memory,
      asked,
      seen,
      answer,
      awaited,
    };
  }

  async #readProbed(run: ProbedRun): Promise<ReadRun> {
    const { group, pacer, startedAtMs, answer } = run;
    const plan = this.#planReads(run);
    const { tasks } = plan;
    const { reading, clock, log, probeStates } = this.#deps;
    const deps = { reading, clock, log, probeStates, refusedSearches: this.#refusedSearches };
    const news = await new GroupRead(deps, {
      group,
      tasks,
      limits: run.memory.limits,
      startedAtMs,
    }).read();
    const learned = {
      ...run.memory,
      limits: news.limits,
      profile: learnHours(run.memory.profile, news.postedMs),
    };
    const { memory, nextDueMs } = pacer.after({ ...run, memory: learned }, plan, news);
    const outcome =
      answer === "suspicious" ? { ...news.outcome, isSuspicious: true } : news.outcome;
    this.#memories.put(group.key, memory, "later");
    return { outcome, nextDueMs };
  }

  #planReads(run: ProbedRun): ReadPlan {
    const { group, pacer, members, unready, memory, asked, answer } = run;
    const { probeStates, clock, reading } = this.#deps;
    const { toService } = reading;
    const { intervalMs } = group;
    const nowMs = clock.now();
    const base = {
      unready,
      accountOf: (userId: string) => probeStates.get(userId),
      intervalMs,
      nowMs,
      toService,
    };
    const unprobed = new Set(answer === "refused" ? asked : []);
    const tasks = tasksOf({
      ...base,
      members,
      isCoolingDown: reading.cooldowns.isCoolingDown,
      limits: memory.limits,
      fullPollEveryMs:
        group.group === undefined ? 0 : fullPollEvery({ ...group, group: group.group }),
      unprobed,
    });
    const fillers = pacer.fill(run, { ...base, tasks });
    return { tasks: [...tasks, ...fillers.all], awaited: fillers.awaited };
  }
}
