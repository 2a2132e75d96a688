/**
 * One run of a group of keyword searches: those that can share a query are read together, each is read by itself now and then to verify it,
 * and at once where the service seems to understand a query otherwise. Owns the order of these steps; what a tweet means is the poll
 * runner's.
 */
import type { GroupRunner } from "../kind/group-runner.ts";
import { createCooldowns } from "../../model/backoff.ts";
import type { Clock } from "../../model/clock.ts";
import type { LearnedStore } from "../../model/learned.ts";
import type { Log } from "../../model/log.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { WatchStore } from "../../model/watch-store.ts";
import { growLimits } from "../../query/merging/merge.ts";
import { searchGroupOf } from "./search-groups.ts";
import { isTimeToChoose } from "../memory/time-to-choose.ts";
import { createGroupMembers } from "../memory/group-members.ts";
import { joinOutcomes } from "../../polling/run/poll-outcome.ts";
import { createLearned } from "../memory/learned.ts";
import { type BegunRun, type ReadRun, runGroupKind } from "../memory/run-group-kind.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import type { FeedPacers } from "../single/feed-pacer.ts";
import { feedRead } from "../single/run-feed.ts";
import type { RunMember } from "../../polling/run/run-member.ts";
import { weighed } from "./search-memory-after.ts";
import { isAlone, restoreSearches, type SearchGroupMemory } from "./search-memory.ts";
import { SearchReads } from "./search-reads.ts";
import { memoryOf, openScene, type SearchScene } from "./search-scene.ts";
import { searchTasks } from "./search-tasks.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";

export interface SearchesDeps extends RunMember {
  readonly store: Pick<PollStore, "loadSources" | "commitPoll"> & LearnedStore & Pick<WatchStore, "loadTargets">;
  readonly gate: RequestGate;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly log: Log;
  readonly pacerOf: FeedPacers;
}

export function createSearchesRunner(deps: SearchesDeps): GroupRunner {
  const { store, gate, clock, serviceClock, log, pacerOf, runOne, take } = deps;
  const memories = createLearned(store, restoreSearches);
  const readiness = createGroupMembers(store);
  const cooldowns = createCooldowns(clock);
  const reads = new SearchReads({ store, gate, clock, serviceClock, log, readiness, cooldowns, runOne, take });
  const toService = (localMs: number) => serviceClock.fromLocal(localMs);

  const read = async ({ group, memory: stored, startedAtMs }: BegunRun<SearchGroupMemory>): Promise<ReadRun<SearchGroupMemory>> => {
    const scene = openScene(group, stored, startedAtMs);
    if (isTimeToChoose(scene.memory, scene.startedAtMs)) chooseAgain(scene);
    const members = group.group?.members ?? [];
    const unready = await readiness.unready(members);
    const memory = memoryOf(scene);
    const pacer = pacerOf(group);
    const { together, alone } = searchTasks({
      members,
      pacer,
      unready,
      isCoolingDown: cooldowns.isCoolingDown,
      memory,
      nowMs: startedAtMs,
      toService,
    });
    const [failure] = await Promise.all([reads.readTogether(scene, together), reads.readAlone(scene, alone)]);
    const { outcomes, isWorthWriting } = scene;
    const nextDueMs = () => pacer.after(feedRead(outcomes, startedAtMs));
    return { memory: memoryOf(scene), isWorthWriting, outcome: joinOutcomes(outcomes), failure, nextDueMs };
  };
  return {
    run: (group) => runGroupKind({ memories, learned: [], clock, read }, group),
    pacerOf,
    close: () => memories.close(),
    keepOnly: (polls) => readiness.keepOnly(new Set(polls.flatMap(({ group }) => (group?.members ?? []).map(({ key }) => key)))),
  };
}

/** Who shares, and how often each is verified, by what is known now. */
function chooseAgain(scene: SearchScene): void {
  const { group, members, memory, startedAtMs } = scene;
  if (group.group?.override !== "merge") for (const [key, member] of members) members.set(key, weighed(member, group.intervalMs));
  const all = group.group?.members ?? [];
  const sharing = all.filter(({ key }) => !isAlone(members.get(key), startedAtMs) && members.get(key)?.isBusy !== true);
  const limits = growLimits(memory.limits, startedAtMs);
  const alone = all.length - sharing.length;
  const asked = searchGroupOf(group, sharing, { limits, fullPollEveryMs: group.group?.fullPollEveryMs, alone });
  scene.memory = { ...memory, limits, fullPollEveryMs: asked.fullPollEveryMs, chosenAtMs: startedAtMs };
}
