import { expect, it } from "vitest";
import { PollHistory } from "../../../src/engine/loop/poll-history.ts";
import type { Poll } from "../../../src/polling/watch-poll.ts";

const GAP = { horizonMs: 1, tries: 0 };
const pollOf = (key: string, more: object = {}) => ({ key, detector: "feed", ...more }) as unknown as Poll;

/** A state in which these feeds have that many gaps. */
function stateOf(gaps: Readonly<Record<string, number>>) {
  const asked: string[][] = [];
  const store = {
    async loadSources(keys: readonly string[]) {
      asked.push([...keys]);
      return keys.map((fingerprint) => {
        const stretches = Array.from({ length: gaps[fingerprint] ?? 0 }, (_, at) => ({ high: `${9 - at}`, low: `${9 - at}`, hole: GAP }));
        return { fingerprint, memory: { stretches }, revision: 1, lastPollAtMs: 1, lastOkAtMs: 1 };
      });
    },
  };
  return { store, asked };
}

it("counts the gaps of feeds and of members of groups, as the state has them from before a start", async () => {
  const { store, asked } = stateOf({ alone: 1, first: 2, second: 0 });
  const group = pollOf("group", { group: { members: [pollOf("first"), pollOf("second")] } });
  expect(await new PollHistory().countOpenGaps([pollOf("alone"), group, pollOf("list", { detector: "roster" })], store)).toBe(3);
  expect(asked).toEqual([["alone", "first", "second"]]);
});

it("asks the state once, and goes by what later polls left", async () => {
  const { store, asked } = stateOf({ first: 2 });
  const [polls, history] = [[pollOf("first"), pollOf("second")], new PollHistory()];
  history.polled("second", 1, 1);
  expect(await history.countOpenGaps(polls, store)).toBe(3);
  history.polled("first", 1, 0);
  expect(await history.countOpenGaps(polls, store)).toBe(1);
  expect(asked).toEqual([["first"]]);
});

it("takes what a poll left over what the state said while it ran", async () => {
  const history = new PollHistory();
  const { store } = stateOf({ first: 2 });
  const loadSources = async (keys: readonly string[]) => {
    const before = await store.loadSources(keys);
    history.polled("first", 1, 0);
    return before;
  };
  expect(await history.countOpenGaps([pollOf("first")], { loadSources })).toBe(0);
});
