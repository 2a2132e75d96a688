/**
 * Groups that overlap only partly, over accounts with posts and followers. Counts their requests.
 * Call `setup` in a test.
 */
import { onTestFinished } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { UpstreamAnswer, UpstreamRequest } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import { createAccountsWorld, type WorldAccount } from "../support/accounts-world.ts";
import { startEngineHarness } from "../support/engine-harness.ts";
import { createListsWorld, type WorldSubject } from "../support/lists-world.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import type { WatchChanges } from "../support/make-watch.ts";

export const START = Date.UTC(2026, 2, 2, 12, 0, 0);
export const MIN = 60_000;
export const HOUR = 3_600_000;
const DAY = 86_400_000;
export type Plan = (ids: (from: number, to: number) => readonly string[]) => readonly Watch[];

export const every = (minutes: number, changes: WatchChanges = {}): WatchChanges => ({
  schedule: { kind: "every", intervalMs: minutes * MIN },
  maxAgeMs: 7 * DAY,
  // Another test covers full polls, so there are none here.
  fullPollEveryMs: 10_000 * DAY,
  ...changes,
});

/**
 * Sets up accounts with posts and followers, and watches of them. Returns ten minutes after the
 * start.
 */
export async function setup(count: number, plan: Plan, startMs = START) {
  const clock = createVirtualClock(startMs);
  const posts = createAccountsWorld();
  const lists = createListsWorld();
  for (let i = 0; i < count; i += 1) {
    posts.post(posts.add(`account_${i}`), startMs - DAY + i);
    lists.follow(lists.add(), startMs - DAY + i);
  }
  const answer = (request: UpstreamRequest): UpstreamAnswer => {
    if (/follow/.test(request.endpoint)) return lists.answer(request, clock.now());
    const given = posts.answer(request, clock.now());
    if (request.endpoint !== "info-batch") return given;
    const counts = new Map(
      (lists.answer(request, clock.now()).users ?? []).map((user) => [
        user.id,
        user.followers_count,
      ]),
    );
    return {
      users: (given.users ?? []).map((user) => ({
        ...user,
        followers_count: counts.get(user.id) ?? 0,
      })),
    };
  };
  const calls: { readonly endpoint: string; readonly ids: number; readonly atMs: number }[] = [];
  const upstream = {
    async call(request: UpstreamRequest) {
      const ids = request.params["user_ids"];
      calls.push({
        endpoint: request.endpoint,
        ids: Array.isArray(ids) ? ids.length : 0,
        atMs: clock.now(),
      });
      await sleep(clock, 40);
      return answer(request);
    },
  };
  const idsOf = (from: number, to: number) =>
    posts.accounts.slice(from, to).map(({ id }) => `id:${id}`);
  const harness = await startEngineHarness({ clock, upstream, watches: plan(idsOf) });
  onTestFinished(() => harness.close());
  await clock.advance(10 * MIN + 30_000);
  const probes = async (minutes: number) => {
    const sinceMs = clock.now();
    await clock.advance(minutes * MIN);
    return calls
      .filter(({ endpoint, atMs }) => endpoint === "info-batch" && atMs >= sinceMs)
      .map(({ ids }) => ids);
  };
  const alerted = async () =>
    (await harness.events()).map(({ watch, type }) => `${watch} ${type}`).sort();
  const [account, subject] = [
    (i: number) => posts.accounts[i] as WorldAccount,
    (i: number) => lists.subjects[i] as WorldSubject,
  ];
  return { clock, posts, lists, harness, calls, probes, alerted, account, subject };
}
