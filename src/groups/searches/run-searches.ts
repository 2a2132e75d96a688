/**
 * Makes a run of a group of keyword searches. Searches that can share a query are read together.
 * Each search is sometimes read on its own to verify what the shared queries returned, and
 * immediately if the service seems to interpret a query differently from chirpwatch. Decides on the
 * order of these steps; the poll runner decides what a tweet means.
 */
import type { Clock } from "../../model/clock.ts";
import type { LearnedStore } from "../../model/learned.ts";
import type { Log } from "../../model/log.ts";
import { joinOutcomes } from "../../polling/run/poll-outcome.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { createRefusalBackoff } from "../../requests/refusal-backoff.ts";
import type { GroupRunner } from "../kind/group-runner.ts";
import { createGroupMemories, type GroupReading, type ReadRun } from "../memory/group-reading.ts";
import type { FeedPacers } from "../single/feed-pacers.ts";
import { feedRead } from "../single/run-feed.ts";
import { restoreSearches } from "./search-memory.ts";
import { SearchReads } from "./search-reads.ts";
import { memoryOf, openScene } from "./search-scene.ts";
import { searchTasks } from "./search-tasks.ts";

export interface SearchesDeps {
  readonly reading: GroupReading;
  readonly store: LearnedStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly pacerOf: FeedPacers;
}

export function createSearchesRunner({
  reading,
  store,
  clock,
  log,
  pacerOf,
}: SearchesDeps): GroupRunner {
  const memories = createGroupMemories(store, clock, restoreSearches);
  const uselessAnswers = createRefusalBackoff(clock);
  const reads = new SearchReads({ reading, clock, log, uselessAnswers });
  const { toService, cooldowns, readiness } = reading;

  const read = async (group: Poll, startedAtMs: number): Promise<ReadRun> => {
    const scene = openScene(
      group,
      (await memories.find(group.key)) ?? restoreSearches({}),
      startedAtMs,
    );
    const members = group.group?.members ?? [];
    const unready = await readiness.unready(members);
    const pacer = pacerOf(group);
    const { isCoolingDown } = cooldowns;
    const { together, alone } = searchTasks({
      members,
      pacer,
      unready,
      isCoolingDown,
      memory: memoryOf(scene),
      isResting: uselessAnswers.isCoolingDown(group),
      nowMs: startedAtMs,
      toService,
    });
    const [failure] = await Promise.all([
      reads.readTogether(scene, together),
      reads.readAlone(scene, alone),
    ]);
    const { outcomes, isWorthWriting } = scene;
    memories.put(group.key, memoryOf(scene), isWorthWriting ? "now" : "later");
    const nextDueMs =
      failure === undefined ? await pacer.after(feedRead(outcomes, startedAtMs)) : undefined;
    return { outcome: joinOutcomes(outcomes), failure, nextDueMs };
  };
  return {
    run: (group) => reading.run(group, [memories], (startedAtMs) => read(group, startedAtMs)),
    pacerOf,
    close: () => memories.close(),
  };
}
