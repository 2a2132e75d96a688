/**
 * Tests the metrics while sinks fail, watches come and go, and the quota runs short. Metrics of the
 * process itself: test/e2e/metrics.test.ts.
 */
import { expect, it } from "vitest";
import { samplesOf } from "../support/exposition.ts";
import { type InnerDaemon, ONE_KEY, startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;

const search = (query: string) => ({ type: "search", query, schedule: "@every 1m" });
const post = ({ control }: InnerDaemon, text: string): Promise<unknown> =>
  control("tweets", { username: "alice", text });

it("count what a sink answered by class", async () => {
  const daemon = await startInnerDaemon({ watches: () => ({ w: search("zebra") }) });
  await daemon.clock.advance(2 * MINUTE);
  const errors = (kind: string) =>
    daemon.metric("chirpwatch_sink_errors_total", `sink="hook",class="${kind}"`);
  daemon.hook.answer((_, response) => response.writeHead(503).end());
  await post(daemon, "zebra");
  await daemon.clock.advance(MINUTE + 1_000);
  expect(await errors("transient")).toBeGreaterThan(0);
  expect(await errors("message")).toBeUndefined();
  daemon.hook.answer((_, response) => response.writeHead(413).end());
  await daemon.clock.advance(10 * MINUTE);
  expect(await errors("message")).toBe(1);
});

it("forget a watch that was removed, and keep the others", async () => {
  let watches: Record<string, object> = { kept: search("zebra"), gone: search("quagga") };
  const daemon = await startInnerDaemon({ watches: () => watches });
  await daemon.clock.advance(2 * MINUTE);
  await post(daemon, "zebra and quagga");
  await daemon.clock.advance(2 * MINUTE);
  expect(daemon.hook.events()).toHaveLength(2);
  const watchesIn = async () =>
    [
      ...new Set(samplesOf(await daemon.metrics()).flatMap(({ labels }) => labels["watch"] ?? [])),
    ].sort();
  expect(await watchesIn()).toEqual(["gone", "kept"]);
  watches = { kept: search("zebra") };
  await daemon.reload();
  expect(await watchesIn()).toEqual(["kept"]);
});

it("count a watch that the service refuses as it is written", async () => {
  const daemon = await startInnerDaemon({
    watches: () => ({
      good: search("zebra"),
      bad: { type: "community_tweets", community: "17", schedule: "@every 1m" },
    }),
    prepare: (control) =>
      control("faults", { number: 9, endpoint: "community-tweets", for_ms: 60 * MINUTE }),
  });
  await daemon.clock.advance(3 * MINUTE);
  const states = await Promise.all(
    ["active", "paused", "misconfigured"].map((state) =>
      daemon.metric("chirpwatch_watches", `state="${state}"`),
    ),
  );
  expect(states).toEqual([1, 0, 1]);
});

it.each([
  ["pause", "chirpwatch_quota_spent", ""],
  ["degrade", "chirpwatch_quota_stretch", 'priority="low"'],
] as const)(
  "on_exhausted %s: reach what the alerts on a short quota wait for",
  async (on_exhausted, name, labels) => {
    const daemon = await startInnerDaemon({
      watches: () => ({ w: { ...search("zebra"), priority: "low" } }),
      api: { ...ONE_KEY, quota: { monthly: 20, reset_day: 28, on_exhausted } },
    });
    const read = async (metric: string) =>
      (await daemon.metric(metric, metric === name ? labels : "")) ?? Number.NaN;
    await daemon.clock.advance(40 * MINUTE);
    const line = await read("chirpwatch_quota_line");
    if (on_exhausted === "pause") expect(await read(name)).toBeGreaterThanOrEqual(line);
    else expect(await read(name)).toBeGreaterThan(2);
    expect((await read("chirpwatch_quota_forecast")) / line).toBeGreaterThan(1);
    const spent = (await daemon.metric("chirpwatch_quota_spent")) ?? Number.NaN;
    expect(spent / (await read("chirpwatch_quota_limit"))).toBeLessThanOrEqual(0.9);
  },
);
