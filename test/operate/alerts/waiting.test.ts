/**
 * Tests that everything that waits says why and until when: in the status, on the page, for one
 * item, and in the last alerts.
 */
import { describe, expect, it } from "vitest";
import { formatStatus } from "../../../src/cli/inspect/status-text.ts";
import {
  type InnerDaemon,
  type InnerDaemonOptions,
  ONE_KEY,
  startInnerDaemon,
} from "../../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const setUp = async (options: Partial<InnerDaemonOptions>): Promise<InnerDaemon> => {
  const daemon = await startInnerDaemon({
    watches: () => ({
      w: { type: "search", query: "zebra", schedule: "@every 10s", max_pages: 20 },
    }),
    prepare: (ask) => ask("accounts", { username: "loud_one" }),
    ...options,
  });
  await daemon.clock.advance(30 * SECOND);
  return daemon;
};

const tweet = async (
  daemon: InnerDaemon,
  count: number,
  text = "a new zebra",
): Promise<readonly string[]> => {
  const { ids } = await daemon.control("tweets", { username: "loud_one", text, count });
  await daemon.clock.advance(15 * SECOND);
  return ids;
};

const waits = async (daemon: InnerDaemon) =>
  (await daemon.status()).sinks.find(({ name }) => name === "hook")?.waits;
const deliveryOf = async (daemon: InnerDaemon, id: string | undefined) =>
  (await daemon.call(`explain/${id}`)).verdicts[0].deliveries[0];

/** Expects the same words in all four places. */
async function expectEverywhere(
  daemon: InnerDaemon,
  id: string | undefined,
  wait: { cause: string; reason: string; until: string },
): Promise<void> {
  expect((await deliveryOf(daemon, id)).wait).toEqual(wait);
  const { recent_events: recent, sinks } = await daemon.status();
  expect(recent.find(({ url }) => url?.endsWith(`/${id}`))?.deliveries).toMatchObject([
    { sink: "hook", wait },
  ]);
  const { waits: all = [], waiting } = sinks.find(({ name }) => name === "hook") ?? {};
  expect(all).toContainEqual(expect.objectContaining({ cause: wait.cause, reason: wait.reason }));
  expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(waiting);
  expect(await daemon.page()).toContain(wait.reason);
}

describe("an alert that waits", () => {
  it("for the end of a mute names the time interval", async () => {
    const times = [{ times: [{ start: "13:00", end: "18:00" }] }];
    const daemon = await setUp({
      more: {
        time_intervals: { afternoons: times },
        route: {
          sink: "ops",
          routes: [
            { matchers: ['type="search"'], sink: "hook", mute_time_intervals: ["afternoons"] },
          ],
        },
      },
    });
    const [id] = await tweet(daemon, 3);
    const until = "2026-03-06T18:00:00.000Z";
    await expectEverywhere(daemon, id, { cause: "held", reason: "held by afternoons", until });
    expect(await waits(daemon)).toEqual([
      { cause: "held", reason: "held by afternoons", until, count: 3 },
    ]);
    expect((await deliveryOf(daemon, id)).state).toBe("held");
  });

  it("for a throttle names its limit and when its digest goes out", async () => {
    const daemon = await setUp({
      sink: { throttle: { limit: 2, interval: "10m", digest_interval: "10m" } },
    });
    await tweet(daemon, 7);
    const [throttled, ...others] = (await waits(daemon)) ?? [];
    expect(others).toEqual([]);
    expect(throttled).toMatchObject({
      cause: "throttled",
      reason: "throttled (2 messages in 10m), collected for a digest",
      count: 5,
    });
    const untilMs = Date.parse(throttled?.until ?? "");
    expect(untilMs).toBeGreaterThan(daemon.clock.now());
    const before = daemon.hook.messages().length;
    await daemon.clock.advanceTo(untilMs - SECOND);
    expect(daemon.hook.messages().length).toBe(before);
    await daemon.clock.advance(2 * SECOND);
    expect(daemon.hook.messages().length).toBeGreaterThan(before);
    expect(await waits(daemon)).toEqual([]);
  });

  it("for others of its group names the route's times", async () => {
    const grouping = { group_by: ["watch"], group_wait: "5m", group_interval: "20m" };
    const daemon = await setUp({
      more: {
        route: {
          sink: "ops",
          routes: [{ matchers: ['type="search"'], sink: "hook", ...grouping }],
        },
      },
    });
    const [id] = await tweet(daemon, 2);
    const { wait } = await deliveryOf(daemon, id);
    expect(wait).toMatchObject({
      cause: "grouped",
      reason: "grouped (group_wait 5m, group_interval 20m)",
    });
    expect(await waits(daemon)).toMatchObject([{ cause: "grouped", until: wait.until, count: 2 }]);
    await daemon.clock.advanceTo(Date.parse(wait.until) + SECOND);
    expect(await waits(daemon)).toEqual([]);
    expect(daemon.hook.messages()).toHaveLength(1);
  });

  it("for its scheduled digest names that and when it goes out", async () => {
    const digest = { schedule: "0 14 * * *" };
    const daemon = await setUp({
      more: {
        route: { sink: "ops", routes: [{ matchers: ['type="search"'], sink: "hook", digest }] },
      },
    });
    const [id] = await tweet(daemon, 2);
    const wait = {
      cause: "digest",
      reason: "collected for the scheduled digest of route.routes[0]",
      until: "2026-03-06T14:00:00.000Z",
    };
    await expectEverywhere(daemon, id, wait);
    await daemon.clock.advanceTo(Date.parse(wait.until) + SECOND);
    expect(daemon.hook.messages()).toHaveLength(1);
  });

  it("for a sink that fails names the last error and the next attempt, whether it was tried or not", async () => {
    const daemon = await setUp({});
    daemon.hook.answer((_, response) => response.writeHead(503).end("later"));
    const ids = await tweet(daemon, 20);
    const [sink] = (await daemon.status()).sinks;
    const until = sink?.next_attempt_at ?? "";
    const wait = {
      cause: "sink_failing",
      reason: "the sink fails: the webhook answered 503: later",
      until,
    };
    for (const id of ids) expect((await deliveryOf(daemon, id)).wait).toEqual(wait);
    await expectEverywhere(daemon, ids.at(-1), wait);
    expect(await waits(daemon)).toMatchObject([{ cause: "sink_failing", until, count: 20 }]);
  });

  it("for a sink that asked to wait says until when", async () => {
    const daemon = await setUp({});
    daemon.hook.answer((_, response) => response.writeHead(429, { "retry-after": "600" }).end());
    const [id] = await tweet(daemon, 6);
    const { wait } = await deliveryOf(daemon, id);
    expect(wait).toMatchObject({ cause: "rate_limited", reason: "the sink asked to wait" });
    expect(Date.parse(wait.until) - daemon.clock.now()).toBeGreaterThan(9 * MINUTE);
    expect(await waits(daemon)).toMatchObject([{ cause: "rate_limited", count: 6 }]);
    expect((await daemon.status()).state).toBe("running");
  });

  it("for another attempt of its own names the error and the time", async () => {
    const daemon = await setUp({});
    daemon.hook.answer(({ body }, response) =>
      response.writeHead(body.includes("poison") ? 500 : 204).end(),
    );
    const [id] = await tweet(daemon, 1, "a poison zebra");
    await tweet(daemon, 4);
    const { wait } = await deliveryOf(daemon, id);
    expect(wait).toMatchObject({
      cause: "retrying",
      reason: "the last attempt failed: the webhook answered 500",
    });
    expect(Date.parse(wait.until)).toBeGreaterThan(daemon.clock.now());
    expect(await waits(daemon)).toMatchObject([{ cause: "retrying", count: 1 }]);
  });
});

describe("a first read under way", () => {
  const slowly = (watches: object): Promise<InnerDaemon> => {
    const accounts = Array.from({ length: 30 }, (_, i) => `account_${i}`);
    return startInnerDaemon({
      watches: () => watches,
      api: { ...ONE_KEY, rate_limit: { count: 1, interval: "1s" } },
      prepare: async (ask) => {
        for (const username of accounts) await ask("accounts", { username });
        await ask("tweets", { username: "account_0", text: "a zebra", count: 100 });
      },
    });
  };
  const everywhere = async (daemon: InnerDaemon) => {
    const status = await daemon.status();
    const [watch] = status.watches;
    return {
      read: watch?.first_read,
      text: formatStatus(status, daemon.clock.now()),
      page: await daemon.page(),
    };
  };

  it("of many accounts says how many are done", async () => {
    const daemon = await slowly({
      w: { type: "timeline", accounts: Array.from({ length: 30 }, (_, i) => `account_${i}`) },
    });
    await daemon.clock.advance(12 * SECOND);
    const { read, text, page } = await everywhere(daemon);
    const left = read?.targets_left ?? 0;
    expect(left).toBeGreaterThan(10);
    expect(left).toBeLessThan(28);
    // Only targets that are being read at this moment count pages.
    expect(read?.pages).toBeLessThan(3);
    for (const shown of [text, page])
      expect(shown).toContain(`first read ${30 - left} of 30 targets`);
    expect((await daemon.call("explain/1234567890123456789")).first_reads).toEqual(["w"]);
    await daemon.clock.advance(30 * SECOND);
    const after = await everywhere(daemon);
    expect(after.read).toBeNull();
    expect(after.text + after.page).not.toContain("first read");
    expect((await daemon.call("explain/1234567890123456789")).first_reads).toEqual([]);
  });

  it("of one query says how many pages were read", async () => {
    const daemon = await slowly({
      w: { type: "search", query: "zebra", first_run: { since: "48h" }, max_pages: 20 },
    });
    await daemon.clock.advance(4 * SECOND);
    const { read, text, page } = await everywhere(daemon);
    expect(read).toEqual({ targets_left: 1, pages: expect.any(Number) });
    expect(read?.pages).toBeGreaterThan(1);
    for (const shown of [text, page])
      expect(shown).toContain(`first read under way, ${read?.pages} pages so far`);
    await daemon.clock.advance(30 * SECOND);
    expect((await everywhere(daemon)).read).toBeNull();
  });

  it("of a member list counts the pages of its first poll, too", async () => {
    const daemon = await slowly({ w: { type: "followers", accounts: ["acme"], max_pages: 100 } });
    await daemon.clock.advance(5 * SECOND);
    expect((await everywhere(daemon)).read?.pages).toBeGreaterThan(0);
  });
});

it("the last alerts say what became of each", async () => {
  const daemon = await setUp({});
  daemon.hook.answer(({ body }, response) =>
    response.writeHead(body.includes("poison") ? 400 : 204).end(),
  );
  await tweet(daemon, 1, "a poison zebra");
  await tweet(daemon, 1);
  const { recent_events: recent } = await daemon.status();
  expect(recent.filter(({ watch }) => watch === "w").map(({ deliveries }) => deliveries)).toEqual([
    [{ sink: "hook", state: "sent", wait: null }],
    [{ sink: "hook", state: "dead", wait: null }],
  ]);
  const page = await daemon.page();
  expect(page).toContain("hook: delivered");
  expect(page).toContain("hook: dead");
});
