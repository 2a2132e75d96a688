/**
 * Tests what a replay to a sink adds: alerts that never went to that sink, and in a chat one for
 * each fact.
 */
import { expect, it } from "vitest";
import { sinkFactsOf } from "../../../src/operate/alerts/create-sink.ts";
import { previewReplay, replayAlerts } from "../../../src/operate/alerts/replays.ts";
import { routeEvent } from "../../../src/route/route-event.ts";
import { goodConfig } from "../../config/load-text.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "../../state/temp-state.ts";
import { makeEvent, makeOpsAlert } from "../../support/make-event.ts";

it("one tweet of two watches is one alert in a chat and two at a webhook; the daemon's own alerts are left out", async () => {
  const config = await goodConfig(
    JSON.stringify({
      version: 1,
      watches: {
        brand: { type: "search", query: "acme" },
        other: { type: "search", query: "Acme" },
      },
      sinks: {
        chat: { type: "slack", webhook_url: "https://hooks.slack.com/services/T0/B0/x" },
        hook: { type: "webhook", url: "https://example.com/hook", secret: "a-long-enough-secret" },
      },
      route: { sink: ["chat", "hook"] },
    }),
  );
  const store = await openTemp(memoryStatePath());
  const events = [
    makeEvent("1"),
    makeEvent("1", { watch: "other" }),
    makeOpsAlert("sink.failing"),
  ].map((event) => ({
    ...event,
    detectedAtMs: T0,
  }));
  await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events, deliveries: [] });
  const alertsTo = async (sink: string | undefined) =>
    (
      await previewReplay(store, config, { what: { sinceMs: T0 }, sink, by: "alice" }, T0 + 1)
    ).alerts.map(({ alerts }) => alerts);
  expect([await alertsTo("chat"), await alertsTo("hook"), await alertsTo(undefined)]).toEqual([
    [1],
    [2],
    [],
  ]);
});

it("a sink with a dedupe of its own gets all that is merely alike, one of each tweet, and what was sent counts for it from then on", async () => {
  const config = await goodConfig(
    JSON.stringify({
      version: 1,
      watches: {
        brand: { type: "search", query: "acme" },
        other: { type: "search", query: "Acme" },
      },
      sinks: {
        all: {
          type: "slack",
          webhook_url: "https://hooks.slack.com/services/T0/B0/x",
          dedupe: false,
        },
        calm: { type: "console", dedupe: { key: ["author"], window: "1h" } },
      },
      route: { sink: ["all", "calm"] },
      ops: { sink: "calm" },
    }),
  );
  const store = await openTemp(memoryStatePath());
  const events = [makeEvent("1"), makeEvent("1", { watch: "other" }), makeEvent("2")].map(
    (event) => ({ ...event, detectedAtMs: T0 }),
  );
  await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events, deliveries: [] });
  const replay = async (sink: string) =>
    (await replayAlerts(store, config, { what: { sinceMs: T0 }, sink, by: "alice" }, T0 + 1))
      .alerts;
  expect([await replay("all"), await replay("calm")]).toEqual([3, 2]);
  const next = { ...makeEvent("3"), detectedAtMs: T0 + 2 };
  const facts = sinkFactsOf(config.sinks);
  const deliveries = routeEvent(next, {
    ownSinks: ["all", "calm"],
    tree: undefined,
    sinks: facts,
    nowMs: T0 + 2,
  });
  await store.commitPoll({ atMs: T0 + 2, targets: [], verdicts: [], events: [next], deliveries });
  const [history] = await store.explainItem("3");
  expect(history?.deliveries.map(({ sink, joinedEventId }) => [sink, joinedEventId])).toEqual([
    ["all", null],
    ["calm", expect.any(String)],
  ]);
});

it.each([999, 1_000, 1_001, 2_100])(
  "of %i events since a time all go to another sink, the oldest first",
  async (count) => {
    const config = await goodConfig(
      JSON.stringify({
        version: 1,
        watches: { brand: { type: "search", query: "acme", sink: "out" } },
        sinks: { out: { type: "console" }, second: { type: "console" } },
        ops: { sink: "out" },
      }),
    );
    const store = await openTemp(memoryStatePath());
    const events = Array.from({ length: count }, (_, index) => ({
      ...makeEvent(String(index)),
      detectedAtMs: T0 + index,
    }));
    await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events, deliveries: [] });
    const request = { what: { sinceMs: T0 }, sink: "second", by: "alice" };
    expect((await previewReplay(store, config, request, T0 + count)).alerts).toMatchObject([
      { sink: "second", alerts: count },
    ]);
    expect((await replayAlerts(store, config, request, T0 + count)).alerts).toBe(count);
  },
);
