import { describe, expect, it } from "vitest";
import { EMPTY_FEED, type FeedMemory } from "../../../src/detect/feed-memory.ts";
import { createGroupMembers } from "../../../src/groups/memory/group-members.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { assumeTargets } from "../../../src/forecast/forecast.ts";
import { planPolls, targetsOf } from "../../../src/plan/polls/plan-polls.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { createTimetable } from "../../../src/schedule/timetable.ts";
import { timeline } from "../../../src/watches/timeline.ts";
import { makeWatch } from "../../support/make-watch.ts";

const NOW = Date.UTC(2026, 2, 2);
const WHOLE: FeedMemory = { ...EMPTY_FEED, stretches: [{ high: "20", low: "10" }], readAtMs: NOW };
const WITH_GAP: FeedMemory = {
  ...WHOLE,
  stretches: [{ high: "20", low: "15", hole: { horizonMs: 0, tries: 0 } }],
};

function setupOf(accounts: number) {
  const watch = makeWatch("w", "timeline", {
    accounts: Array.from({ length: accounts }, (_, index) => `id:${index + 1}`),
  });
  const targets = assumeTargets("w", targetsOf(sha256, watch, timeline), []);
  const planned = [{ watch, type: timeline, watchKey: "w", paused: false, targets }];
  const members = planPolls(planned, { hash: sha256, timetable: createTimetable(), nowMs: NOW });
  const feeds = new Map<string, FeedMemory>(members.map(({ key }) => [key, WHOLE]));
  let asked = 0;
  const readiness = createGroupMembers({
    async loadSources(keys) {
      asked += keys.length;
      return keys.map((key) => ({
        fingerprint: key,
        memory: { ...feeds.get(key) } as unknown as JsonObject,
        revision: 1,
        lastPollAtMs: NOW,
        lastOkAtMs: NOW,
      }));
    },
    loadTargets: async (wanted) =>
      wanted.map(({ watchKey, targetKey }) => ({
        watchKey,
        key: targetKey,
        name: targetKey,
        userId: null,
        username: null,
        registeredAtMs: NOW,
        baselineAtMs: NOW,
        memory: {},
        revision: 1,
        status: "pending",
        statusReason: "",
      })),
  });
  const unreadyKeys = async () => [...(await readiness.unready(members))];
  return { members, feeds, readiness, unreadyKeys, asked: () => asked };
}

describe("members that can be read together", () => {
  it("are asked of the store once, and again only those in doubt", async () => {
    const { members, readiness, unreadyKeys, asked } = setupOf(5);
    for (let run = 0; run < 3; run += 1) expect(await unreadyKeys()).toEqual([]);
    expect(asked()).toBe(5);
    readiness.doubt(members[2]?.key ?? "");
    for (let run = 0; run < 3; run += 1) expect(await unreadyKeys()).toEqual([]);
    expect(asked()).toBe(6);
  });

  it("are not those whose history has a gap now, until it is closed", async () => {
    const { members, feeds, readiness, unreadyKeys } = setupOf(3);
    for (let run = 0; run < 2; run += 1) await unreadyKeys();
    const key = members[1]?.key ?? "";
    feeds.set(key, WITH_GAP);
    readiness.doubt(key);
    expect(await unreadyKeys()).toEqual([key]);
    feeds.set(key, WHOLE);
    expect(await unreadyKeys()).toEqual([]);
  });

  it("are asked about anew when they come back, as they may have been paused", async () => {
    const { members, feeds, readiness, unreadyKeys } = setupOf(2);
    for (let run = 0; run < 2; run += 1) await unreadyKeys();
    const [left, stayed] = members.map(({ key }) => key);
    readiness.keepOnly(new Set([stayed ?? ""]));
    feeds.set(left ?? "", WITH_GAP);
    expect(await unreadyKeys()).toEqual([left]);
  });
});
