import { expect, it } from "vitest";
import { reasonsOf, type Troubles } from "../../../src/operate/views/reasons.ts";
import type { TargetView } from "../../../src/server/schema/watch-view.ts";
import { sinkView, watchView } from "../../server/daemon-stand-in.ts";

const calm: Troubles = {
  store: undefined,
  upstream: undefined,
  quota: {
    monthly: undefined,
    limit: 1_000,
    softLimit: 900,
    spent: 10,
    forecast: 100,
    expected: 100,
    onExhausted: "degrade",
    period: { id: "2026-03", startMs: 0, endMs: Date.UTC(2026, 3, 1) },
    factors: { high: 1, normal: 1, low: 1 },
    paces: new Map(),
    drift: 0,
    keys: [],
  },
  sinks: [sinkView()],
  dead: [],
  watches: [watchView()],
  refusal: null,
};

const target = (name: string, status: TargetView["status"], reason: string): TargetView => ({
  name,
  status,
  reason,
});

it("gives no reason where all is well, and none for an account that is not indexed", () => {
  expect(reasonsOf(calm)).toEqual([]);
  expect(
    reasonsOf({
      ...calm,
      watches: [watchView({ targets: [target("rival", "not_indexed", "not indexed")] })],
    }),
  ).toEqual([]);
});

it("names the accounts of a watch that cannot be read once for each cause, and five of many", () => {
  const targets = [
    target("@bad", "misconfigured", "the service refuses the request"),
    ...Array.from({ length: 7 }, (_, index) => target(`@gone${index}`, "unavailable", "deleted")),
  ];
  expect(reasonsOf({ ...calm, watches: [watchView({ id: "partners", targets })] })).toEqual([
    "partners: @bad cannot be read: the service refuses the request",
    "partners: @gone0, @gone1, @gone2, @gone3, @gone4 and 2 more cannot be read: deleted",
  ]);
});

it("says why a sink takes nothing and how much waits, and which quota is spent instead of how slow polls are", () => {
  const factors = { high: 1, normal: 2, low: 4 };
  const spent = { ...calm.quota, spent: 900, factors };
  expect(
    reasonsOf({
      ...calm,
      quota: spent,
      sinks: [sinkView({ breaker: "open", reason: "404", waiting: 3 })],
    }),
  ).toEqual([
    "the quota is spent: 900 of 1000 requests; polling continues at 2026-04-01T00:00:00.000Z",
    "brand takes no messages: 404 (3 waiting, kept)",
  ]);
  expect(reasonsOf({ ...calm, quota: { ...calm.quota, factors } })).toEqual([
    "the quota is short: normal priority is polled 2.0 times slower, low priority is polled 4.0 times slower",
  ]);
});

it("says since when a sink fails, when it is tried again, and what can be done", () => {
  const times = {
    failing_since: "2026-03-10T13:17:02.120Z",
    next_attempt_at: "2026-03-10T14:17:02.120Z",
  };
  const sink = sinkView({
    breaker: "open",
    reason: "channel_not_found",
    hint: "invite @chirpwatch to #brand",
    waiting: 3,
    ...times,
  });
  expect(reasonsOf({ ...calm, sinks: [sink] })).toEqual([
    "brand takes no messages: channel_not_found (since 2026-03-10 13:17:02 UTC; 3 waiting, kept; next attempt 2026-03-10 14:17:02 UTC). Invite @chirpwatch to #brand",
  ]);
});

it("names dead letters, templates that fail, and a newer configuration of others", () => {
  const template = {
    template: "short",
    sink: "brand",
    problem: "too long",
    lastAtMs: Date.UTC(2026, 2, 10, 13),
  };
  const templates = [
    { ...template, count: 1 },
    { ...template, count: 3 },
  ];
  expect(
    reasonsOf({
      ...calm,
      dead: ["1 alert was refused"],
      templates,
      superseded: "others have a newer one",
    }),
  ).toEqual([
    "1 alert was refused",
    "the template short failed for brand, which got the default message once, last 2026-03-10 13:00:00 UTC: too long",
    "the template short failed for brand, which got the default message 3 times, last 2026-03-10 13:00:00 UTC: too long",
    "others have a newer one",
  ]);
});

it("names a state that cannot be written first, and a refused reload last, before its errors", () => {
  const refusal = { at: "2026-03-10T13:50:00.000Z", errors: ["watches.yaml:3:1: unknown key"] };
  expect(reasonsOf({ ...calm, store: "the disk is full", upstream: "no answer", refusal })).toEqual(
    [
      "the state cannot be written: the disk is full",
      "the data service: no answer",
      "the changed configuration was refused at 2026-03-10T13:50:00.000Z; the old one stays active",
    ],
  );
});
