import { expect, it } from "vitest";
import type { GapAge } from "../../../src/detect/feed-memory.ts";
import { countGaps, PollHistory } from "../../../src/engine/loop/poll-history.ts";
import type { PollStore } from "../../../src/model/poll-store.ts";
import type { Poll } from "../../../src/polling/watch-poll.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const GAP = { horizonMs: 1, tries: 0 };
const pollOf = (key: string, more: object = {}) =>
  ({ key, detector: "feed", ...more }) as unknown as Poll;

const gaps = (count: number) => Array.from({ length: count }, () => ({ openedAtMs: 1 }) as GapAge);
const newHistory = () => new PollHistory(createVirtualClock(0));
const countIn = async (
  history: PollHistory,
  polls: readonly Poll[],
  store: Pick<PollStore, "loadSources">,
) => countGaps(await history.openGaps(polls, store));

/** Creates a state in which each feed has this many gaps. */
function stateOf(counts: Readonly<Record<string, number>>) {
  const asked: string[][] = [];
  const store = {
    async loadSources(keys: readonly string[]) {
      asked.push([...keys]);
      return keys.map((fingerprint) => {
        const stretches = Array.from({ length: counts[fingerprint] ?? 0 }, (_, at) => ({
          high: `${9 - at}`,
          low: `${9 - at}`,
          hole: GAP,
        }));
        return { fingerprint, memory: { stretches }, revision: 1, lastPollAtMs: 1, lastOkAtMs: 1 };
      });
    },
  };
  return { store, asked };
}

it("counts the gaps of feeds and of members of groups, as the state has them from before a start", async () => {
  const { store, asked } = stateOf({ alone: 1, first: 2, second: 0 });
  const group = pollOf("group", { group: { members: [pollOf("first"), pollOf("second")] } });
  expect(
    await countIn(
      newHistory(),
      [pollOf("alone"), group, pollOf("list", { detector: "roster" })],
      store,
    ),
  ).toBe(3);
  expect(asked).toEqual([["alone", "first", "second"]]);
});

it("reads the gaps from the state once, and then from later polls", async () => {
  const { store, asked } = stateOf({ first: 2 });
  const [polls, history] = [[pollOf("first"), pollOf("second")], newHistory()];
  history.polled("second", 1, gaps(1));
  expect(await countIn(history, polls, store)).toBe(3);
  history.polled("first", 1, gaps(0));
  expect(await countIn(history, polls, store)).toBe(1);
  expect(asked).toEqual([["first"]]);
});

it("takes what a poll left over what the state said while it ran", async () => {
  const history = newHistory();
  const { store } = stateOf({ first: 2 });
  const loadSources = async (keys: readonly string[]) => {
    const before = await store.loadSources(keys);
    history.polled("first", 1, gaps(0));
    return before;
  };
  expect(await countIn(history, [pollOf("first")], { loadSources })).toBe(0);
});

it("asks again for what another replica may have read meanwhile", async () => {
  const clock = createVirtualClock(0);
  const history = new PollHistory(clock);
  const counts = { own: 1, others: 1 };
  const { store, asked } = stateOf(counts);
  history.polled("own", 1, gaps(1));
  const polls = [pollOf("own"), pollOf("others")];
  expect(await countIn(history, polls, store)).toBe(2);
  counts.others = 0;
  await clock.advance(29_000);
  expect(await countIn(history, polls, store)).toBe(2);
  await clock.advance(1_000);
  expect(await countIn(history, polls, store)).toBe(1);
  expect(asked).toEqual([["others"], ["others"]]);
});
