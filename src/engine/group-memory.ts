/** What a group has learned as a whole: the hours of the day, how long a query may be, the pace of its probes, the way it is read. */
import type { JsonObject } from "../model/json.ts";
import type { PollStore } from "../model/poll-store.ts";
import { askedOf } from "../plan/group-polls.ts";
import { FIRST_LIMITS, handlesPerQuery, type MergeLimits } from "../plan/merge.ts";
import type { PaceMemory } from "../plan/probe-pace.ts";
import { type DayProfile, FLAT_PROFILE } from "../plan/rates.ts";
import { chooseStrategy, type Strategy } from "../plan/strategy.ts";
import type { Poll } from "./watch-poll.ts";

export interface GroupMemory {
  readonly profile: DayProfile;
  readonly limits: MergeLimits;
  /** Where freshness is asked for. */
  readonly pace?: PaceMemory;
  readonly strategy: Strategy;
  readonly fullPollEveryMs: number;
  /** When these two were chosen; our clock. */
  readonly chosenAtMs: number;
  /** The last probe of all members. */
  readonly probedAtMs: number;
}

const NOTHING_LEARNED: GroupMemory = {
  profile: FLAT_PROFILE,
  limits: FIRST_LIMITS,
  strategy: "probe",
  fullPollEveryMs: 0,
  chosenAtMs: 0,
  probedAtMs: 0,
};

const CHOOSE_EVERY_MS = 600_000;

/** Compares the ways to read a group by the rates as they are known now, every ten minutes. `rates` in posts a day, one a member. */
export function chooseAgain(
  group: Poll,
  memory: GroupMemory,
  rates: () => readonly number[],
  hiddenShare: () => number,
  nowMs: number,
): GroupMemory {
  if (nowMs - memory.chosenAtMs < CHOOSE_EVERY_MS) return memory;
  const current = memory.chosenAtMs === 0 ? undefined : memory.strategy;
  const asked = askedOf(
    group,
    group.group?.fullPollEveryMs,
    rates(),
    handlesPerQuery(memory.limits),
    group.group?.freshness,
    hiddenShare(),
  );
  const { strategy } = chooseStrategy(asked, current, group.group?.freshness === undefined ? (group.group?.wish ?? "auto") : "probe");
  return { ...memory, strategy, fullPollEveryMs: asked.fullPollEveryMs, chosenAtMs: nowMs };
}

export interface GroupMemories {
  get(group: Poll): Promise<GroupMemory>;
  put(group: Poll, memory: GroupMemory): void;
  /** Writes the time of a run, and what was learned at most once in ten minutes. */
  save(group: Poll, polledAtMs: number, nowMs: number): Promise<void>;
}

const WRITE_EVERY_MS = 600_000;

export function createGroupMemories(store: Pick<PollStore, "loadSources" | "commitPoll">): GroupMemories {
  const known = new Map<string, { memory: GroupMemory; writtenAtMs: number }>();
  return {
    async get({ key }) {
      const entry = known.get(key);
      if (entry !== undefined) return entry.memory;
      const [source] = await store.loadSources([key]);
      const memory = { ...NOTHING_LEARNED, ...(source?.memory as Partial<GroupMemory> | undefined) };
      known.set(key, { memory, writtenAtMs: 0 });
      return memory;
    },
    put({ key }, memory) {
      known.set(key, { memory, writtenAtMs: known.get(key)?.writtenAtMs ?? 0 });
    },
    async save({ key }, polledAtMs, nowMs) {
      const entry = known.get(key);
      const isDue = entry !== undefined && nowMs - entry.writtenAtMs >= WRITE_EVERY_MS;
      const [source] = await store.loadSources([key]);
      const memory = isDue ? { memory: entry.memory as unknown as JsonObject } : {};
      const change = { fingerprint: key, expectedRevision: source?.revision ?? 0, polledAtMs, ok: true, ...memory };
      await store.commitPoll({ atMs: nowMs, source: change, targets: [], verdicts: [], events: [], deliveries: [] });
      if (isDue) entry.writtenAtMs = nowMs;
    },
  };
}
