/** Tests what happens to alerts when sinks fail, in the whole daemon. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { Step } from "../sim/draw/scenario.ts";
import { type FaultPlay, HOUR, MINUTE, playFault, post } from "./play-fault.ts";

const DISCORD = { type: "discord", token: "bot.token", channel_id: "900000" };
const DISCORD_WEBHOOK = { type: "discord", webhook_url: "https://discord.com/api/webhooks/1/s0" };
const HOOK = { type: "webhook", url: "https://hook-s0.example/in" };
const OTHER = { type: "webhook", url: "https://hook-s1.example/in" };

const trouble = (
  min: number,
  kind: (Step & { do: "sink trouble" })["kind"],
  times?: number,
): Step => ({
  ...{ do: "sink trouble", atMs: min * MINUTE, sink: "s0", kind },
  ...(times === undefined ? {} : { times }),
});
const heals = (min: number): Step => ({ do: "sink heals", atMs: min * MINUTE, sink: "s0" });

/** Plays a search whose alerts go to the failing sink and to a second one that works. */
const play = (sink: JsonObject, steps: readonly Step[], more: Partial<FaultPlay> = {}) =>
  playFault({
    watches: { w0: { type: "search", query: "acme", schedule: "@every 1m", sink: ["s0", "s1"] } },
    sinks: { s0: sink, s1: OTHER },
    steps,
    busyMs: 60 * MINUTE,
    ...more,
  });

const POSTS = [post(2, "a"), post(6, "b"), post(12, "c"), post(20, "d"), post(50, "e")];
const ALL = ["a", "b", "c", "d", "e"];

const SLACK = { type: "slack", token: "xoxb-1", channel: "#s0" };

it("fault 43: while Slack's token is revoked its alerts are kept, ops is alerted once, and they go out in their order once it is valid again", async () => {
  const { arrived, attempts, opsAlerts, sinkStatus } = await play(
    SLACK,
    [...POSTS, trouble(5, "unauthorised"), heals(40)],
    { busyMs: 2 * HOUR },
  );
  expect(arrived("s0")).toEqual(ALL);
  expect(attempts("s0").filter(({ accepted }) => !accepted).length).toBeLessThan(14);
  expect(opsAlerts()).toEqual(["sink.failing", "sink.recovered"]);
  expect(sinkStatus("s0")).toMatchObject({ waiting: 0, dead: 0 });
});

it.each([
  ["Slack", SLACK],
  ["Telegram", { type: "telegram", token: "1:abc", chat_id: "-1000000000000" }],
  ["Teams", { type: "teams", webhook_url: "https://teams-s0.example/in" }],
  ["Apprise", { type: "apprise", url: "https://apprise-s0.example/notify/", key: "k" }],
])(
  "fault 94: %s answers 2xx with an error in the body: the alert is sent again, and none counts as sent meanwhile",
  async (_vendor, sink) => {
    const { arrived, attempts, sinkStatus } = await play(sink, [
      ...POSTS,
      trouble(5, "failing-inside", 3),
    ]);
    expect(arrived("s0")).toEqual(ALL);
    expect(attempts("s0").map(({ status, accepted }) => [status < 300, accepted])).toEqual([
      [true, true],
      ...Array.from({ length: 3 }, () => [true, false]),
      ...Array.from({ length: 4 }, () => [true, true]),
    ]);
    expect(sinkStatus("s0")).toMatchObject({ sent: 5, waiting: 0, dead: 0 });
  },
);

it("fault 44: Discord's wait holds its channel alone, and its global one all channels of the bot", async () => {
  for (const [kind, waitS] of [
    ["rate-limited", 12],
    ["rate-limited-globally", 20],
  ] as const) {
    const sinks = { s0: DISCORD, s1: { ...DISCORD, channel_id: "900001" } };
    const steps = [...POSTS, trouble(5, kind, 1), post(6.1, "f")];
    const { played, arrived, objections } = await play(DISCORD, steps, { sinks });
    expect(arrived("s0").toSorted()).toEqual([...ALL, "f"]);
    expect(arrived("s1").toSorted()).toEqual([...ALL, "f"]);
    const refusedMs = played.attempts.find(({ status }) => status === 429)?.answeredAtMs ?? 0;
    const early = (sink: string) =>
      played.attempts.filter(
        (one) =>
          one.sink === sink && one.atMs > refusedMs && one.atMs < refusedMs + (waitS - 1) * 1_000,
      );
    expect(early("s0")).toEqual([]);
    if (kind === "rate-limited-globally") expect(early("s1")).toEqual([]);
    expect(objections()).toEqual([]);
  }
});

it.each(["unauthorised", "forbidden", "missing"] as const)(
  "fault 45: a webhook of Discord that is %s is hardly asked again, and ops is alerted within a minute",
  async (kind) => {
    const { arrived, attempts, opsAlerts, minutes } = await play(DISCORD_WEBHOOK, [
      ...POSTS,
      trouble(5, kind),
    ]);
    expect(arrived("s0")).toEqual(["a"]);
    expect(attempts("s0").length).toBeLessThan(14);
    expect(opsAlerts()).toEqual(["sink.failing"]);
    const [, first = 0] = minutes("s0");
    expect((minutes("ops")[0] ?? 99) - first).toBeLessThanOrEqual(1);
  },
);

it.each(["lost-by-timeout", "lost-by-reset"] as const)(
  "fault 47: an answer that is lost (%s) repeats a message under its key, and Discord shows it once",
  async (kind) => {
    const hook = await play(HOOK, [...POSTS, trouble(5, kind, 1)]);
    expect(hook.arrived("s0")).toEqual(["a", "b", "b", "c", "d", "e"]);
    const keys = hook.attempts("s0").map(({ headers }) => headers["webhook-id"]);
    expect([keys[1], new Set(keys).size]).toEqual([keys[2], 5]);
    const discord = await play(DISCORD, [...POSTS, trouble(5, kind, 1)]);
    expect(discord.attempts("s0")).toHaveLength(6);
    expect(discord.arrived("s0")).toEqual(ALL);
  },
);

it("fault 48: a sink that fails for three hours gets everything once afterwards", async () => {
  const steps = [...POSTS, post(200, "f"), post(230, "g"), trouble(5, "unavailable"), heals(185)];
  const { arrived } = await play(HOOK, steps, { busyMs: 5 * HOUR });
  // Without a group no alert waits for another one.
  expect(arrived("s0").toSorted()).toEqual([...ALL, "f", "g"]);
});

it("fault 49: a webhook that answers 410 is disabled at once and reported, and gets its backlog after a resume", async () => {
  const { arrived, attempts, opsAlerts } = await play(
    HOOK,
    [...POSTS, trouble(5, "gone"), heals(40)],
    { calmMs: 5 * MINUTE },
  );
  expect(attempts("s0").filter(({ status }) => status === 410)).toHaveLength(1);
  expect(opsAlerts().slice(0, 1)).toEqual(["sink.failing"]);
  expect(arrived("s0").toSorted()).toEqual(ALL);
});

it("fault 55: what no sink takes for longer than retry_for is counted as dead, and what comes later goes out", async () => {
  const steps = [...POSTS, post(100, "f"), trouble(1, "unreachable"), heals(90)];
  const { arrived, sinkStatus, opsAlerts } = await play({ ...HOOK, retry_for: "30m" }, steps, {
    busyMs: 2 * HOUR,
  });
  expect(arrived("s0").at(-1)).toBe("f");
  const dead = Number(sinkStatus("s0")["dead"]);
  expect(dead).toBeGreaterThanOrEqual(4);
  expect(arrived("s0").length + dead).toBe(6);
  expect(opsAlerts()).toContain("delivery.dead");
});

it("fault 92: a batch that is too large goes out in halves, and none of it is dead", async () => {
  const names = Array.from({ length: 9 }, (_, n) => `p${n}`);
  const burst = names.map((name, n) => post(6 + n / 100, name));
  const throttle = { limit: 1, interval: "5m", digest_interval: "1m" };
  const { arrived, attempts, sinkStatus } = await play({ ...HOOK, throttle }, [
    ...burst,
    trouble(5, "too-large"),
  ]);
  expect(attempts("s0").some(({ status }) => status === 413)).toBe(true);
  expect(arrived("s0").toSorted()).toEqual(names);
  expect(sinkStatus("s0")).toMatchObject({ waiting: 0, dead: 0 });
});

describe("fault 84: a pattern that would take for ever in a backtracking engine", () => {
  it("answers at once, in a where and in a matcher", async () => {
    const text = `acme ${"a".repeat(200)}!`;
    const begunMs = process.cpuUsage().user / 1_000;
    const { arrived } = await playFault({
      watches: {
        w0: {
          type: "search",
          query: "acme",
          schedule: "@every 1m",
          where: '!tweet.full_text.re("(a+)+$")',
          sink: "s0",
        },
        w1: { type: "search", query: "acme", schedule: "@every 1m" },
      },
      sinks: { s0: HOOK, s1: OTHER },
      more: {
        route: { sink: "s1", routes: [{ matchers: ['author=~"(d+a+n+)+3?x"'], sink: "s0" }] },
      },
      steps: [post(2, "a", text)],
      busyMs: 10 * MINUTE,
    });
    expect([arrived("s0"), arrived("s1")]).toEqual([["a"], ["a"]]);
    expect(process.cpuUsage().user / 1_000 - begunMs).toBeLessThan(20_000);
  });
});
