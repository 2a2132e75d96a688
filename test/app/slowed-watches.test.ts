/**
 * Tests that watches which the quota slows down say so in status, page and metrics, at every
 * replica, and that none says "OK".
 */
import { expect, it } from "vitest";
import { samplesOf } from "../support/exposition.ts";
import { ONE_KEY, startInnerDaemon } from "../support/inner-daemon.ts";
import { makeInnerReplicas } from "../support/inner-replicas.ts";
import { formatStatus } from "../../src/cli/inspect/status-text.ts";
import type { StatusView } from "../../src/server/schema/status-view.ts";

const MINUTE = 60_000;
const FACTOR = "chirpwatch_watch_slow_down_factor";
const NEXT_POLL = "chirpwatch_watch_next_poll_timestamp_seconds";

const search = (query: string, more: object = {}) => ({
  type: "search",
  query,
  schedule: "@every 1m",
  strategy: "single",
  ...more,
});

const PILL = /<span class="pill[^"]*">([^<]*)<\/span><span class="sub">([^<]*)</g;
const pillsOf = (page: string): readonly string[] =>
  [...page.matchAll(PILL)].map(([, pill, below]) => `${pill}: ${below}`);

const slowedIn = (metrics: string) =>
  samplesOf(metrics).flatMap(({ name, labels, value }) =>
    name === FACTOR || name === NEXT_POLL ? [[name, labels["watch"], value]] : [],
  );

it("a watch says by how much, until when, and when its next poll is; one that shares a faster poll or has a high priority does not", async () => {
  const watches = {
    low: search("zebra", { priority: "low" }),
    slow: search("okapi", { schedule: "@every 12h" }),
    high: search("lynx"),
  };
  const { clock, status, page, metrics, reload } = await startInnerDaemon({
    watches: () => ({
      ...watches,
      high: { ...watches.high, priority: "high", schedule: "@every 1h" },
    }),
    api: { ...ONE_KEY, quota: { monthly: 8_000 } },
  });
  await clock.advance(10 * MINUTE);
  const view = await status();
  const [low, ...others] = view.watches;
  expect(others.map(({ slowed }) => slowed)).toEqual([null, null]);
  expect(low?.slowed).toEqual({
    factor: expect.any(Number),
    until: view.quota.period_end,
    next_poll_at: low?.next_poll_at,
  });
  const factor = low?.slowed?.factor ?? Number.NaN;
  expect(factor).toBeGreaterThan(2);
  const apartMs = Date.parse(low?.slowed?.next_poll_at ?? "") - Date.parse(low?.last_poll_at ?? "");
  expect(apartMs / MINUTE).toBeCloseTo(factor, 0);
  expect(formatStatus(view, clock.now())).toContain(
    `polled ${factor} times slower until 2026-04-01: the quota is short; next poll in `,
  );
  expect(pillsOf(await page())).toEqual([
    expect.stringMatching(
      new RegExp(
        `^Slowed: .*polled ${factor} times slower until 2026-04-01: the quota is short; next poll in `,
      ),
    ),
    expect.stringMatching(/^OK: /),
    expect.stringMatching(/^OK: /),
  ]);
  expect(slowedIn(await metrics())).toEqual([
    [FACTOR, "low", expect.closeTo(factor, 1)],
    [NEXT_POLL, "low", Date.parse(low?.slowed?.next_poll_at ?? "") / 1_000],
  ]);
  await reload({ ...ONE_KEY, quota: { monthly: 10_000_000 } });
  await clock.advance(MINUTE);
  expect((await status()).watches.map(({ slowed }) => slowed)).toEqual([null, null, null]);
  expect(slowedIn(await metrics())).toEqual([]);
});

it.each(["degrade", "pause"])(
  "%s: a watch that is not polled at all, as the quota is spent, says until when",
  async (on_exhausted) => {
    const { clock, status, page, metrics } = await startInnerDaemon({
      watches: () => ({ w: search("zebra", { schedule: "@every 5s" }) }),
      api: { ...ONE_KEY, quota: { monthly: 20, reset_day: 28, on_exhausted } },
    });
    while ((await status()).quota.spent < 18) await clock.advance(10 * MINUTE);
    await clock.advance(2 * MINUTE);
    const view = await status();
    const { period_end: end } = view.quota;
    expect(view.watches.map(({ slowed }) => slowed)).toEqual([
      { factor: null, until: end, next_poll_at: end },
    ]);
    expect(formatStatus(view, clock.now())).toContain(
      "not polled until 2026-03-28: the quota is spent; next poll in ",
    );
    expect(pillsOf(await page())[0]).toMatch(
      /^(Slowed|Problem): .*not polled until 2026-03-28: the quota is spent/,
    );
    expect(await metrics()).toContain(`${FACTOR}{watch="w"} +Inf`);
  },
);

it("every replica reports it for all watches, with the time of the next poll on the replica that makes it", async () => {
  const words = ["zebra", "giraffe", "okapi", "lynx"];
  const { clock, add, heldBy } = await makeInnerReplicas(
    Object.fromEntries(words.map((word) => [word, search(word, { schedule: "@every 15s" })])),
    { monthly: 2_000 },
  );
  const replicas = [await add(), await add()];
  // The first hundred requests go out at the times of the schedules.
  await clock.advance(10 * MINUTE);
  expect(
    Math.min(...(await Promise.all([0, 1].map(async (replica) => (await heldBy(replica)).length)))),
  ).toBeGreaterThan(0);
  const read = async (path: string) =>
    Promise.all(
      replicas.map(async ({ url }) => (await fetch(`${url.replace(/\/$/, "")}/${path}`)).text()),
    );
  const views: readonly StatusView[] = (await read("api/v1/status")).map((text) =>
    JSON.parse(text),
  );
  const [one, other] = views.map(({ watches }) =>
    watches.map(({ id, slowed }) => ({
      id,
      ...slowed,
      next: Date.parse(slowed?.next_poll_at ?? ""),
    })),
  );
  expect(one?.map(({ id }) => id)).toEqual(words);
  for (const { factor, next } of one ?? [])
    expect([factor, next]).toEqual([
      expect.toSatisfy((times) => times > 2),
      expect.toSatisfy((time) => time > clock.now()),
    ]);
  // The replica that does not poll counts from the time at which the poll ended, not from its tick.
  const near = (line: { readonly next: number }) => ({
    ...line,
    next: expect.closeTo(line.next, -4),
    next_poll_at: expect.any(String),
    factor: expect.any(Number),
  });
  expect(one).toEqual(other?.map(near));
  for (const view of views) {
    expect(view.watches.filter(({ polled_by: by }) => by.length > 0).length).toBeGreaterThan(0);
    for (const { slowed, next_poll_at: own } of view.watches)
      if (own !== null) expect(slowed?.next_poll_at).toBe(own);
  }
  for (const metrics of await read("metrics"))
    expect(slowedIn(metrics)).toHaveLength(2 * words.length);
});
