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
import { createGroupMembers } from "../memory/group-members.ts";
import { joinOutcomes } from "../../polling/run/poll-outcome.ts";
import { createGroupMemories, type ReadRun, runGroupKind } from "../memory/run-group-kind.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import type { FeedPacers } from "../single/feed-pacer.ts";
import { feedRead } from "../single/run-feed.ts";
import type { RunMember } from "../../polling/run/run-member.ts";
import { restoreSearches } from "./search-memory.ts";
import { SearchReads } from "./search-reads.ts";
import { memoryOf, openScene } from "./search-scene.ts";
import { searchTasks } from "./search-tasks.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import type { Poll } from "../../polling/watch-poll.ts";

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
  const memories = createGroupMemories(store, clock, restoreSearches);
  const readiness = createGroupMembers(store);
  const cooldowns = createCooldowns(clock);
  const reads = new SearchReads({ store, gate, clock, serviceClock, log, readiness, cooldowns, runOne, take });
  const toService = (localMs: number) => serviceClock.fromLocal(localMs);

  const read = async (group: Poll, startedAtMs: number): Promise<ReadRun> => {
    const scene = openScene(group, (await memories.find(group.key)) ?? restoreSearches({}), startedAtMs);
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
    memories.put(group.key, memoryOf(scene), isWorthWriting ? "now" : "later");
    const nextDueMs = () => pacer.after(feedRead(outcomes, startedAtMs));
    return { outcome: joinOutcomes(outcomes), failure, nextDueMs };
  };
  return {
    run: (group) => runGroupKind({ store, clock, learned: [memories], read: (startedAtMs) => read(group, startedAtMs) }, group),
    pacerOf,
    close: () => memories.close(),
    keepOnly: (polls) => readiness.keepOnly(new Set(polls.flatMap(({ group }) => (group?.members ?? []).map(({ key }) => key)))),
  };
}
