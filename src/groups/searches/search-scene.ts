/**
 * The state of one run of a group of searches: the memories of its members, and the outcomes of
 * their reads.
 */
import { isoTime } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import { growLimits } from "../../query/merging/merge.ts";
import { verificationOf } from "./search-groups.ts";
import { weighed } from "./search-memory-after.ts";
import {
  isAlone,
  type SearchGroupMemory,
  type SearchMemory,
  quarantineAfter,
} from "./search-memory.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface SearchScene {
  readonly group: Poll;
  /** The memory of the group. During the run, `members` below replaces the members in it. */
  memory: SearchGroupMemory;
  readonly members: Map<string, SearchMemory>;
  /** The time between two verification reads of a member, in ms. */
  readonly verifyEveryMs: number;
  /** The start of the run, in epoch ms of the local clock. */
  readonly startedAtMs: number;
  readonly outcomes: PollOutcome[];
  /** Whether the run has learned something that a crash must not lose. */
  isWorthWriting: boolean;
}

export function openScene(
  group: Poll,
  memory: SearchGroupMemory,
  startedAtMs: number,
): SearchScene {
  const keys = new Set(group.group?.members.map(({ key }) => key));
  const own = Object.entries(memory.members).filter(([key]) => keys.has(key));
  const isWeighed = group.group?.override !== "merge";
  const members = new Map(
    own.map(([key, member]) => [key, isWeighed ? weighed(member, group.intervalMs) : member]),
  );
  const grown = { ...memory, limits: growLimits(memory.limits, startedAtMs) };
  const verifyEveryMs = verificationOf(group).everyMs;
  return {
    group,
    memory: grown,
    members,
    verifyEveryMs,
    startedAtMs,
    outcomes: [],
    isWorthWriting: false,
  };
}

export const memoryOf = ({ memory, members }: SearchScene): SearchGroupMemory => ({
  ...memory,
  members: Object.fromEntries(members),
});

/** Quarantines a member: it is only read on its own for a day or longer. */
export function quarantine(
  scene: SearchScene,
  { key, subscribers }: Poll,
  reason: string,
  log: Log,
): void {
  const member = scene.members.get(key);
  if (member === undefined || isAlone(member, scene.startedAtMs)) return;
  const alone = quarantineAfter(member.alone, scene.startedAtMs);
  scene.members.set(key, { ...member, alone });
  scene.isWorthWriting = true;
  const watch = subscribers[0]?.watch.id;
  const until = isoTime(alone.untilMs);
  log.info(
    "the service seems to match a search differently than chirpwatch does: it is sent by itself for now",
    { watch, reason, until },
  );
}
