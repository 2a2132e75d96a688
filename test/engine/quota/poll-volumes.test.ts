import { expect, it } from "vitest";
import { volumesOf, watchesWithLists } from "../../../src/engine/quota/poll-volumes.ts";
import type { WatchState } from "../../../src/model/watch-store.ts";
import type { Watch } from "../../../src/model/watch.ts";
import { assumeTargets } from "../../../src/forecast/forecast.ts";
import { planPolls, targetsOf } from "../../../src/plan/polls/plan-polls.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { createTimetable } from "../../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../../src/watches/registry.ts";
import { makeWatch } from "../../support/make-watch.ts";

const NOW = Date.UTC(2026, 2, 2);
const DAY = 86_400_000;

function pollsOf(...watches: readonly Watch[]) {
  const planned = watches.map((watch) => {
    const type = WATCH_TYPES.find((one) => one.type === watch.type);
    if (type === undefined) throw new Error("no type");
    return {
      watch,
      type,
      watchKey: watch.id,
      paused: false,
      targets: assumeTargets(watch.id, targetsOf(sha256, watch, type), []),
    };
  });
  return planPolls(planned, { hash: sha256, timetable: createTimetable(), nowMs: NOW });
}

const state = (id: string, changes: Partial<WatchState> = {}): WatchState => ({
  key: id,
  id,
  type: "search",
  registeredAtMs: NOW - 2 * DAY,
  paused: false,
  targets: [],
  knownItems: 220,
  accounts: {},
  ...changes,
});

it("knows how long lists are, each by the state of its own watch, also under its former id, and of no feed", () => {
  const polls = pollsOf(
    makeWatch("busy", "search", { query: "acme" }),
    makeWatch("long", "followers", { accounts: ["id:7"] }),
    makeWatch("moved", "followers", { accounts: ["id:8"] }, { movedFrom: "old" }),
    makeWatch("new", "followers", { accounts: ["id:9"] }),
  );
  const states = [
    state("busy"),
    state("long", { type: "followers", knownItems: 900 }),
    state("old", { type: "followers", knownItems: 300 }),
  ];
  expect(watchesWithLists(polls)).toEqual(["long", "moved", "new"]);
  const { pages, unread } = volumesOf(polls, states, NOW);
  const idOf = (key: string) => polls.find((poll) => poll.key === key)?.subscribers[0]?.watch.id;
  expect([...pages].map(([key, count]) => [idOf(key), count])).toEqual([
    ["long", 5],
    ["moved", 2],
  ]);
  expect(unread.size).toBe(0);
});
