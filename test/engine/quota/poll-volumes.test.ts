import { expect, it } from "vitest";
import { volumesOf } from "../../../src/engine/quota/poll-volumes.ts";
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
    return { watch, type, watchKey: watch.id, paused: false, targets: assumeTargets(watch.id, targetsOf(sha256, watch, type), []) };
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
  followedTweets: 0,
  accounts: {},
  ...changes,
});

it("keeps what is more than a page, of each poll by the state of its own watch, also under its former id", () => {
  const recheck = { everyMs: 600_000, untilMs: DAY };
  const polls = pollsOf(
    makeWatch("busy", "search", { query: "acme" }, { recheck }),
    makeWatch("moved", "search", { query: "rival" }, { movedFrom: "old" }),
    makeWatch("new", "search", { query: "alice" }, { recheck }),
    makeWatch("long", "followers", { accounts: ["id:7"] }),
  );
  const states = [
    state("busy", { followedTweets: 130, accounts: {} }),
    state("old", { knownItems: 60 }),
    state("long", { type: "followers", knownItems: 900 }),
    state("other", { knownItems: 9_000 }),
  ];
  const { pages, items, fresh } = volumesOf(polls, states, NOW);
  const keyOf = (id: string) => polls.find(({ subscribers }) => subscribers.some(({ watch }) => watch.id === id))?.key ?? "";
  expect([...items]).toEqual([
    [keyOf("busy"), 100],
    [keyOf("moved"), 20],
  ]);
  expect([...pages].map(([key]) => key)).toEqual([keyOf("long")]);
  expect([...fresh]).toEqual([["busy", 130]]);
});
