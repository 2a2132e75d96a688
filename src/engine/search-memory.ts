/** What a group of searches has learned: how long a query may be, which members share it, when each was read, swept and proved. */
import type { JsonObject } from "../model/json.ts";
import type { PollStore } from "../model/poll-store.ts";
import { FIRST_LIMITS, type MergeLimits } from "../plan/merge.ts";
import type { Poll } from "./watch-poll.ts";

/** Of one member; times on our clock. */
export interface SearchMemory {
  /** Whatever was shown until then was read, but for what appears late. */
  readonly checkedAtMs: number;
  /** Part of a read since; an empty answer is one that moves nothing else. */
  readonly triedAtMs: number;
  /** Down to `overlap` before that, late items were looked for. */
  readonly sweptAtMs: number;
  /** Until then it was read by itself. */
  readonly provedAtMs: number;
  readonly proofDueMs: number;
  /** It was read together with others since it was proved. */
  readonly isUnproven?: true;
  /** The service understands its query otherwise than we do: it is read by itself for good. */
  readonly isAlone?: true;
  /** It finds so much that sharing saves nothing. */
  readonly isBusy?: true;
  /** What it found in the last hours. */
  readonly postsPerDay: number;
}

export interface SearchGroupMemory {
  readonly limits: MergeLimits;
  readonly strategy: "single" | "merge";
  readonly fullPollEveryMs: number;
  readonly chosenAtMs: number;
  /** By poll key. */
  readonly members: Readonly<Record<string, SearchMemory>>;
  /** Ids of tweets that no query of ours explains, and that were looked into; newest last. */
  readonly strays: readonly string[];
  readonly trouble: Trouble;
}

/** When merged answers were no use lately, and until when nobody asks for one. */
export interface Trouble {
  readonly atMs: readonly number[];
  readonly restUntilMs: number;
}

const NOTHING_LEARNED: SearchGroupMemory = {
  limits: FIRST_LIMITS,
  strategy: "merge",
  fullPollEveryMs: 0,
  chosenAtMs: 0,
  members: {},
  strays: [],
  trouble: { atMs: [], restUntilMs: 0 },
};

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MOST_TROUBLE = 3;

/** Three times within an hour, and the group rests for a day; once within the day that follows, and it rests again. */
export function takeTrouble({ atMs, restUntilMs }: Trouble, nowMs: number): Trouble {
  const recent = [...atMs.filter((one) => nowMs - one < HOUR_MS), nowMs];
  const isOnTrial = restUntilMs > 0 && nowMs - restUntilMs < DAY_MS;
  return recent.length >= (isOnTrial ? 1 : MOST_TROUBLE) ? { atMs: [], restUntilMs: nowMs + DAY_MS } : { atMs: recent, restUntilMs };
}

export interface SearchMemories {
  get(group: Poll): Promise<SearchGroupMemory>;
  /** `isWorthWriting` false: what is lost by a crash is only read once more. */
  put(group: Poll, memory: SearchGroupMemory, isWorthWriting: boolean): void;
  /** Writes the time of a run; what was learned at once where it is worth it, else at most once in ten minutes. */
  save(group: Poll, polledAtMs: number, nowMs: number): Promise<void>;
}

const WRITE_EVERY_MS = 600_000;

interface Entry {
  readonly memory: SearchGroupMemory;
  readonly isWorthWriting: boolean;
  readonly writtenAtMs: number;
}

export function createSearchMemories(store: Pick<PollStore, "loadSources" | "commitPoll">): SearchMemories {
  const known = new Map<string, Entry>();
  return {
    async get({ key }) {
      const entry = known.get(key);
      if (entry !== undefined) return entry.memory;
      const [source] = await store.loadSources([key]);
      const memory = afterRestart({ ...NOTHING_LEARNED, ...(source?.memory as Partial<SearchGroupMemory> | undefined) });
      known.set(key, { memory, isWorthWriting: false, writtenAtMs: 0 });
      return memory;
    },
    put({ key }, memory, isWorthWriting) {
      const entry = known.get(key);
      known.set(key, {
        memory,
        isWorthWriting: isWorthWriting || entry?.isWorthWriting === true,
        writtenAtMs: entry?.writtenAtMs ?? 0,
      });
    },
    async save({ key }, polledAtMs, nowMs) {
      const entry = known.get(key);
      const isDue = entry !== undefined && (entry.isWorthWriting || nowMs - entry.writtenAtMs >= WRITE_EVERY_MS);
      const [source] = await store.loadSources([key]);
      const memory = isDue ? { memory: entry.memory as unknown as JsonObject } : {};
      const change = { fingerprint: key, expectedRevision: source?.revision ?? 0, polledAtMs, ok: true, ...memory };
      await store.commitPoll({ atMs: nowMs, source: change, targets: [], verdicts: [], events: [], deliveries: [] });
      if (isDue) known.set(key, { ...entry, isWorthWriting: false, writtenAtMs: nowMs });
    },
  };
}

/** Reads together may have followed the last writing. */
const afterRestart = (memory: SearchGroupMemory): SearchGroupMemory => ({
  ...memory,
  members: Object.fromEntries(
    Object.entries(memory.members).map(([key, member]) => [
      key,
      member.isAlone === true ? member : { ...member, isUnproven: true as const },
    ]),
  ),
});
