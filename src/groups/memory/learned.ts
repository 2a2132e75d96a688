/** What groups have learned, each under the key of its poll: in memory while they run, and in the state now and then. What it is, they say. */
import type { Json } from "../../model/json.ts";
import type { LearnedStore } from "../../model/learned.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface GroupMemories<Memory> {
  get(group: Poll): Promise<Memory>;
  /** The same, where it was read before. */
  peek(group: Poll): Memory | undefined;
  /** `isWorthWriting`: what a crash would lose is worth more than being read once again. */
  put(group: Poll, memory: Memory, isWorthWriting?: boolean): void;
  /** Writes the time of a run; what was learned at once where it is worth it, else at most once in ten minutes. */
  save(group: Poll, polledAtMs: number, nowMs: number): Promise<void>;
  /** Writes all that was learned since it was written: nothing more comes. */
  close(): Promise<void>;
}

const SCOPE = "groups";
const WRITE_EVERY_MS = 600_000;
/** Of a group that does not run any more, what it learned leaves the memory, and stays in the state. */
const LET_GO_AFTER_MS = 86_400_000;

interface Entry<Memory> {
  readonly memory: Memory;
  readonly isWorthWriting: boolean;
  readonly writtenAtMs: number;
  /** As the state has it. */
  readonly written: Memory | undefined;
  /** When its last run began; undefined before the first. */
  polledAtMs: number | undefined;
  /** When that run was saved. */
  savedAtMs: number;
}

const NEVER_RUN = { isWorthWriting: false, writtenAtMs: 0, polledAtMs: undefined, savedAtMs: Number.POSITIVE_INFINITY };

/** `restore` fills in what a group has not learned yet, and mends what a stop may have made stale. */
export function createLearned<Memory extends object>(
  store: Pick<PollStore, "loadSources" | "commitPoll"> & LearnedStore,
  restore: (stored: Partial<Memory>) => Memory,
): GroupMemories<Memory> {
  const known = new Map<string, Entry<Memory>>();
  const writePolled = async (key: string, polledAtMs: number, nowMs: number): Promise<void> => {
    const [source] = await store.loadSources([key]);
    const change = { fingerprint: key, expectedRevision: source?.revision ?? 0, polledAtMs, ok: true };
    await store.commitPoll({ atMs: nowMs, source: change, targets: [], verdicts: [], events: [], deliveries: [] });
  };
  const writeLearned = (key: string, memory: Memory): Promise<void> =>
    store.saveLearned(SCOPE, new Map([[key, memory as unknown as Json]]));
  return {
    async get({ key }) {
      const entry = known.get(key);
      if (entry !== undefined) return entry.memory;
      const stored = (await store.loadLearned(SCOPE, [key])).get(key);
      const memory = restore((stored ?? {}) as Partial<Memory>);
      known.set(key, { ...NEVER_RUN, memory, written: memory });
      return memory;
    },
    peek: ({ key }) => known.get(key)?.memory,
    put({ key }, memory, isWorthWriting = false) {
      const entry = known.get(key);
      known.set(key, {
        ...(entry ?? { ...NEVER_RUN, written: undefined }),
        memory,
        isWorthWriting: isWorthWriting || entry?.isWorthWriting === true,
      });
    },
    async save({ key }, polledAtMs, nowMs) {
      const entry = known.get(key);
      const isDue = entry !== undefined && (entry.isWorthWriting || nowMs - entry.writtenAtMs >= WRITE_EVERY_MS);
      if (isDue) await writeLearned(key, entry.memory);
      await writePolled(key, polledAtMs, nowMs);
      if (entry !== undefined) [entry.polledAtMs, entry.savedAtMs] = [polledAtMs, nowMs];
      if (isDue) known.set(key, { ...entry, isWorthWriting: false, writtenAtMs: nowMs, written: entry.memory });
      for (const [other, { savedAtMs }] of known) if (nowMs - savedAtMs > LET_GO_AFTER_MS) known.delete(other);
    },
    async close() {
      for (const [key, { memory, written, polledAtMs }] of known)
        if (memory !== written && polledAtMs !== undefined) await writeLearned(key, memory);
    },
  };
}
