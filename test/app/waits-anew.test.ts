/**
 * Tests that waiting alerts follow the present configuration, and that a mute counts at the moment
 * of each attempt.
 */
import { describe, expect, it } from "vitest";
import { type InnerDaemonOptions, startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The daemon starts at 13:38:49 on a Friday. */
const between = (start: string, end: string) => [{ times: [{ start, end }] }];
const INTERVALS = {
  afternoon: between("13:00", "21:00"),
  later: between("14:00", "15:00"),
  always: between("00:00", "00:00"),
};

/**
 * Starts a watch of one author's posts. Its alerts go to the webhook by the given route, which a
 * test may change.
 */
async function setUp(route: Record<string, unknown>, more: Partial<InnerDaemonOptions> = {}) {
  const settings = {
    route: { sink: "hook", ...route } as Record<string, unknown>,
    time_intervals: INTERVALS,
  };
  const daemon = await startInnerDaemon({
    watches: () => ({ w: { type: "timeline", accounts: ["one"], schedule: "@every 1m" } }),
    more: settings,
    prepare: (control) => control("tweets", { username: "one", text: "old" }),
    ...more,
  });
  await daemon.clock.advance(3 * MINUTE);
  const post = async (count = 1): Promise<readonly string[]> => {
    const { ids } = await daemon.control("tweets", { username: "one", text: "news", count });
    await daemon.clock.advance(2 * MINUTE);
    return ids;
  };
  return {
    ...daemon,
    post,
    change: (next: Record<string, unknown>) => void (settings.route = { sink: "hook", ...next }),
    waits: async () =>
      (await daemon.status()).sinks.find(({ name }) => name === "hook")?.waits ?? [],
  };
}

type SetUp = Awaited<ReturnType<typeof setUp>>;

const WAYS: Readonly<Record<string, (daemon: SetUp) => Promise<void>>> = {
  reload: (daemon) => daemon.reload(),
  restart: async (daemon) => {
    await daemon.stop();
    await daemon.start();
  },
};

/**
 * Pairs of routes: alerts wait for hours by the first, and for at most two minutes by the second.
 */
const MENDED: readonly (readonly [string, Record<string, unknown>, Record<string, unknown>])[] = [
  ["a mute that is removed", { mute_time_intervals: ["afternoon"] }, {}],
  [
    "a mute that is corrected",
    { mute_time_intervals: ["afternoon"] },
    { mute_time_intervals: ["later"] },
  ],
  ["a mute without an end", { mute_time_intervals: ["always"] }, {}],
  [
    "active hours inside muted ones",
    { mute_time_intervals: ["always"], active_time_intervals: ["later"] },
    {},
  ],
  ["a digest that is removed", { digest: { schedule: "0 20 * * *" } }, {}],
  [
    "a digest whose schedule is corrected",
    { digest: { schedule: "0 20 * * *" } },
    { digest: { schedule: "* * * * *" } },
  ],
  [
    "a digest behind a mute",
    { digest: { schedule: "0 20 * * *" }, mute_time_intervals: ["afternoon"] },
    {},
  ],
  [
    "a throttle that is removed",
    { throttle: { limit: 1, interval: "10h", digest_interval: "10h" } },
    {},
  ],
  [
    "a throttle whose digests come sooner",
    { throttle: { limit: 1, interval: "10h", digest_interval: "10h" } },
    { throttle: { limit: 1, interval: "10h", digest_interval: "1m" } },
  ],
  [
    "a group_wait that is removed",
    { group_by: ["watch"], group_wait: "5h" },
    { group_by: ["watch"] },
  ],
  ["a group that is no more", { group_by: ["watch"], group_wait: "5h" }, {}],
  [
    "a group_wait that is shorter",
    { group_by: ["watch"], group_wait: "5h" },
    { group_by: ["watch"], group_wait: "2m" },
  ],
];

describe.each(Object.keys(WAYS))("after a %s", (way) => {
  it.each(MENDED)(
    "fault 106: alerts wait as before, and no longer by %s",
    async (_, before, after) => {
      const daemon = await setUp(before);
      const ids = [...(await daemon.post()), ...(await daemon.post(2))];
      expect(daemon.hook.subjects().length).toBeLessThanOrEqual(1);
      const waits = await daemon.waits();
      expect(waits).toHaveLength(1);
      await WAYS[way]?.(daemon);
      await daemon.clock.advance(30 * SECOND);
      expect(await daemon.waits()).toEqual(waits);
      daemon.change(after);
      await WAYS[way]?.(daemon);
      await daemon.clock.advance(3 * MINUTE);
      expect(daemon.hook.subjects().toSorted()).toEqual(ids.toSorted());
      const [next = ""] = await daemon.post();
      await daemon.clock.advance(2 * MINUTE);
      expect(daemon.hook.subjects().at(-1)).toBe(next);
      expect(daemon.hook.subjects()).toHaveLength(4);
    },
  );

  it("alerts that waited for nothing wait for what was added", async () => {
    const daemon = await setUp({ group_by: ["watch"], group_wait: "10m" });
    const ids = await daemon.post();
    daemon.change({ mute_time_intervals: ["later"], group_by: ["watch"], group_wait: "30m" });
    await WAYS[way]?.(daemon);
    await daemon.clock.advance(60 * MINUTE);
    expect(daemon.hook.subjects()).toEqual([]);
    await daemon.clock.advance(20 * MINUTE);
    expect(daemon.hook.subjects()).toEqual(ids);
  });
});

it.each(MENDED)(
  "replay sends an alert that waits by %s when it is named, and no other",
  async (_, before) => {
    const daemon = await setUp(before);
    const first = await daemon.post();
    const rest = await daemon.post(2);
    const sent = daemon.hook.subjects();
    const waiting = [...first, ...rest].filter((id) => !sent.includes(id));
    const { events } = await daemon.call("events?watch=w");
    const named = events.find((event: any) => event.data.tweet?.id === waiting[0])?.data.id;
    expect(await daemon.call("replay?since=1h")).toMatchObject({ under_way: waiting.length });
    expect(await daemon.call(`replay?event=${named}`)).toMatchObject({
      alerts: [{ sink: "hook", alerts: 1 }],
      under_way: 0,
    });
    expect(await daemon.call(`replay?event=${named}`, "POST")).toEqual({
      alerts: 1,
      effect: "now",
    });
    await daemon.clock.advance(30 * SECOND);
    expect(daemon.hook.subjects()).toEqual([...sent, waiting[0]]);
    expect((await daemon.waits()).map(({ count }) => count)).toEqual([waiting.length - 1]);
  },
);

/** Starts a daemon whose sink fails from 13:41, with muted hours from 14:00 to 15:00. */
async function failingSetUp(
  route: Record<string, unknown>,
  more: Partial<InnerDaemonOptions> = {},
) {
  const daemon = await setUp(route, more);
  const { hook, clock, control } = daemon;
  hook.answer((_, response) => response.writeHead(503).end());
  const ids = await daemon.post(3);
  await clock.advance(Date.UTC(2026, 2, 6, 14) + SECOND - clock.now());
  const attempts = hook.messages().length;
  await control("tweets", { username: "one", text: "late news" });
  await clock.advance(8 * MINUTE);
  const since = () => hook.messages().slice(attempts);
  const received = () => since().flatMap(({ events }) => events.map(({ subject }) => subject));
  return { ...daemon, ids, received };
}

describe.each([["hold"], ["drop"]] as const)("in muted hours with on_mute: %s", (onMute) => {
  const MUTED = { mute_time_intervals: ["later"], on_mute: onMute };

  it.each(["route", "sink"])(
    "fault 108: a sink that works again gets nothing before they end (muted by the %s)",
    async (by) => {
      const { hook, clock, ids, received, waits } = await failingSetUp(
        by === "route" ? MUTED : {},
        by === "sink" ? { sink: MUTED } : {},
      );
      hook.answer((_, response) => response.end());
      await clock.advance(30 * MINUTE);
      expect(received()).toEqual([]);
      expect(await waits()).toMatchObject([
        { cause: "held", until: "2026-03-06T15:00:00.000Z", count: onMute === "hold" ? 4 : 3 },
      ]);
      await clock.advance(40 * MINUTE);
      expect(received().slice(0, 3)).toEqual(ids);
      expect(received()).toHaveLength(onMute === "hold" ? 4 : 3);
    },
  );

  it("replay sends a message that is held when it is named", async () => {
    const { hook, clock, ids, received, call } = await failingSetUp(MUTED);
    hook.answer((_, response) => response.end());
    const { events } = await call("events?watch=w");
    const named = events.find((event: any) => event.data.tweet?.id === ids[1])?.data.id;
    expect(await call(`replay?event=${named}`, "POST")).toEqual({ alerts: 1, effect: "now" });
    await clock.advance(6 * MINUTE);
    expect(received()).toEqual([ids[1]]);
  });

  it("a restart and a reload try nothing", async () => {
    const { hook, clock, received, reload, stop, start } = await failingSetUp(MUTED);
    hook.answer((_, response) => response.end());
    await reload();
    await stop();
    await start();
    await clock.advance(5 * MINUTE);
    expect(received()).toEqual([]);
  });
});

it("retry_for does not count the muted hours", async () => {
  const { hook, clock, ids, received } = await failingSetUp(
    { mute_time_intervals: ["later"] },
    { sink: { retry_for: "40m" } },
  );
  await clock.advance(65 * MINUTE);
  expect(received().length).toBeGreaterThan(0);
  hook.answer((_, response) => response.end());
  await clock.advance(10 * MINUTE);
  expect(received()).toEqual(expect.arrayContaining([...ids]));
});
