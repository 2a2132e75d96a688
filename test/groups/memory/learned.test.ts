/** What groups have learned, and when it leaves the memory. */
import { expect, it } from "vitest";
import { createLearned } from "../../../src/groups/memory/learned.ts";
import type { Poll } from "../../../src/polling/watch-poll.ts";
import { openTemp, memoryStatePath } from "../../state/temp-state.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 2, 2);
const group = (key: string): Poll => ({ key }) as Poll;

it("lets a group go that has not run for a day, and reads it from the state when it is back", async () => {
  const store = await openTemp(memoryStatePath());
  const loaded: string[] = [];
  const reading = {
    commitPoll: store.commitPoll,
    loadSources: store.loadSources,
    saveLearned: store.saveLearned,
    loadLearned: (scope: string, keys: readonly string[] = []) => {
      loaded.push(...keys);
      return store.loadLearned(scope, keys);
    },
  };
  const learned = createLearned<{ size: number }>(reading, (stored) => ({ size: 0, ...stored }));
  for (const [key, size, atMs] of [
    ["gone", 7, NOW],
    ["here", 1, NOW + 1],
    ["here", 2, NOW + 2 * DAY],
  ] as const) {
    await learned.get(group(key));
    learned.put(group(key), { size });
    await learned.save(group(key), atMs, atMs);
  }
  loaded.length = 0;
  expect(await learned.get(group("here"))).toEqual({ size: 2 });
  expect(loaded).toEqual([]);
  expect(await learned.get(group("gone"))).toEqual({ size: 7 });
  expect(loaded).toEqual(["gone"]);
});
