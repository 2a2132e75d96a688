/**
 * Tests what a plan says about member lists that take many polls to read, by the lengths that the
 * service reported.
 */
import { expect, it } from "vitest";
import { askLengths, listedAccounts, withLengths } from "../../src/operate/plan/list-lengths.ts";
import { planQuota } from "../../src/operate/plan/plan-quota.ts";
import { createPlanView } from "../../src/operate/plan/plan-view.ts";
import { longListLines } from "../../src/cli/terminal/long-list-text.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import type { UpstreamRequest } from "../../src/model/upstream.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { goodConfig } from "../config/load-text.ts";
import { makeUser } from "../support/make-event.ts";

const NOW = Date.UTC(2026, 2, 2);

/**
 * Returns the plan of these watches, one on each line, with the profiles of @big and @small known.
 */
async function planOf(watches: string, monthly = 100_000, memory: JsonObject = {}) {
  const config = await goodConfig(
    `api: { quota: { monthly: ${monthly} } }\nwatches: { ${watches} }\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n`,
  );
  const asked: UpstreamRequest[] = [];
  const profiles = [
    { ...makeUser("7", "big"), followers_count: 3_000_000, followings_count: 4_000 },
    { ...makeUser("8", "small"), followers_count: 300, followings_count: 10 },
  ];
  const gate = {
    async request(request: UpstreamRequest) {
      asked.push(request);
      const wanted = [request.params["usernames"] ?? [], request.params["user_ids"] ?? []].flat();
      return {
        users: profiles.filter(
          ({ id, username }) => wanted.includes(username) || wanted.includes(id),
        ),
      };
    },
  };
  const listed = listedAccounts(config, sha256, []);
  const lengths = await askLengths(gate, listed);
  const states = withLengths([], listed, lengths.users).map((state) => ({
    ...state,
    targets: state.targets.map((target) => ({
      ...target,
      ...(Object.keys(memory).length === 0 ? {} : { baselineAtMs: NOW }),
      memory: { ...target.memory, ...memory },
    })),
  }));
  const view = createPlanView(config, {
    hash: sha256,
    nowMs: NOW,
    quota: planQuota(monthly, { failure: "" }),
    states,
  });
  return { view, lengths, asked, lines: longListLines(view.watches) };
}

const NEWCOMERS =
  'fresh: { type: new_followers, accounts: ["@Big", small], source: all, schedule: "@every 5m" }';

it("asks once for the accounts of all watches that read their lists, and for nobody else", async () => {
  const { asked, lengths } = await planOf(
    `${NEWCOMERS}, both: { type: followers, accounts: [big, "id:8", nobody] }, posts: { type: timeline, accounts: [other] },
     window: { type: new_followers, accounts: [indexed], source: indexed }, verified: { type: new_followers, accounts: [alike], verified_only: true }`,
  );
  expect(asked.map(({ params }) => params)).toEqual([
    { usernames: ["big", "small", "nobody"] },
    { user_ids: ["8"] },
  ]);
  expect(lengths.requests).toBe(2);
  expect(lengths.missing).toEqual(["nobody"]);
});

it("says what the first read takes, by the schedule and by what the quota can spare, and that it is not repeated", async () => {
  const { view, lines } = await planOf(NEWCOMERS);
  expect(view.watches[0]?.long_lists).toEqual([
    {
      target: "Big",
      members: 3_000_000,
      whole_read_requests: 15_000,
      first_read_requests: 15_000,
      first_read_days: 5.9,
      tells_newcomers: true,
      whole_read_every_seconds: null,
      is_fallback: false,
    },
  ]);
  expect(lines).toEqual([
    "fresh: the list of @Big has 3,000,000 members; the first full read takes 15,000 requests and about 6 days, and newcomers are reported from the first poll on; it is not read in full every day: `full_read_every: 1d` does that, for 15,000 requests each time",
  ]);
  expect(view.total.first_requests).toBeGreaterThanOrEqual(15_001);
  // The cost of a month contains neither the first read nor a daily one.
  expect(view.total.requests_per_month).toBeLessThan(30 * 2 * 288 + 100);
  const poor = await planOf(NEWCOMERS, 10_000);
  expect(poor.view.watches[0]?.long_lists[0]?.first_read_days).toBeGreaterThan(400);
});

it("bills the daily read of a long list where the watch says so", async () => {
  const daily = (key: string) =>
    `fresh: { type: new_followers, accounts: [big], source: all, schedule: "@every 5m", max_pages: 100${key} }`;
  const [without, withIt] = [await planOf(daily("")), await planOf(daily(", full_read_every: 1d"))];
  expect(Math.round(withIt.view.total.requests_per_day - without.view.total.requests_per_day)).toBe(
    14_999,
  );
  const never = await planOf(daily(", full_read_every: never"));
  expect(never.view.total.first_requests).toBeLessThan(5);
  expect(never.lines[0]).not.toContain("the first read");
});

it("says that watches of who left report nothing before the first read is done", async () => {
  const { lines } = await planOf(
    'both: { type: followers, accounts: [big], schedule: "17 4 * * *", max_pages: 100 }',
  );
  expect(lines).toEqual([
    "both: the list of @big has 3,000,000 members; the first full read takes 15,000 requests and about 150 days, and nothing is reported until it is complete; full reads follow one another without a pause, 15,000 requests each",
  ]);
});

it("says that a list may be the fallback of accounts that are not indexed", async () => {
  const { lines } = await planOf(
    'fresh: { type: new_followers, accounts: [big], schedule: "@every 5m" }',
  );
  expect(lines[0]).toContain(
    "members, read only if the service has not indexed the account; the first full read",
  );
});

it("says what is left of a first read under way, and nothing of one that is done but that it is not repeated", async () => {
  const half = await planOf(NEWCOMERS, 100_000, {
    baseline_of: "followers",
    partial: { run: 20, since_ms: NOW },
    read_members: 1_500_000,
  });
  expect(half.view.watches[0]?.long_lists[0]).toMatchObject({ first_read_requests: 7_500 });
  const done = await planOf(NEWCOMERS, 100_000, { baseline_of: "followers" });
  expect(done.lines[0]).toBe(
    "fresh: the list of @Big has 3,000,000 members; it is not read in full every day: `full_read_every: 1d` does that, for 15,000 requests each time",
  );
});
