/**
 * Tests faults 1 to 17 and 37 to 39 of the data service in the whole daemon: refusals, failures and
 * broken answers.
 */
import { expect, it } from "vitest";
import { HOUR, live, MINUTE, createFixture } from "./fault-fixture.ts";

it("fault 1: a single 429 is repeated after about a second, and raises no ops alert", async () => {
  const fixture = await createFixture();
  await live(fixture, 1, { endpoint: "search-tweets" });
  await fixture.clock.advance(3 * MINUTE);
  fixture.expectAllAlerted();
  expect(fixture.opsAlertTypes()).toEqual([]);
  const asked = await fixture.requests("search-tweets");
  const at = asked.findIndex(({ status }) => status === 429);
  const waitedMs = Date.parse(asked[at + 1]?.at ?? "") - Date.parse(asked[at]?.at ?? "");
  expect(waitedMs).toBeGreaterThanOrEqual(1_000);
  expect(waitedMs).toBeLessThan(3_000);
});

it("fault 2: in a minute of 429 all watches wait together, the status says so, and everything is reported afterwards", async () => {
  const fixture = await createFixture({ schedule: "@every 10s" });
  await fixture.news();
  await fixture.fault(2);
  await fixture.clock.advance(30_000);
  expect((await fixture.status()).upstream).toMatchObject({ up: false, reason: "throttled" });
  expect((await fixture.control("requests")).by_status["429"]).toBeLessThan(20);
  await fixture.clock.advance(5 * MINUTE);
  fixture.expectAllAlerted();
  expect((await fixture.status()).upstream.up).toBe(true);
});

it("fault 3: a single 500 is retried after one to two seconds, and both requests count", async () => {
  const fixture = await createFixture();
  await live(fixture, 3, { endpoint: "search-tweets" });
  await fixture.clock.advance(3 * MINUTE);
  fixture.expectAllAlerted();
  expect(fixture.opsAlertTypes()).toEqual([]);
  const asked = await fixture.requests("search-tweets");
  const at = asked.findIndex(({ status }) => status === 500);
  const waitedMs = Date.parse(asked[at + 1]?.at ?? "") - Date.parse(asked[at]?.at ?? "");
  expect(waitedMs).toBeGreaterThanOrEqual(1_000);
  expect(waitedMs).toBeLessThan(4_000);
  expect(asked.slice(at, at + 2).map(({ billed }) => billed)).toEqual([1, 1]);
});

it.each([
  ["fault 4: an hour of 500", 4, HOUR],
  ["fault 5: 502 with a page", 5, HOUR / 2],
  ["fault 37: connections that break as TLS does", 37, HOUR / 2],
  ["fault 38: no address", 38, HOUR / 2],
  ["fault 39: redirects to another host", 39, HOUR / 2],
])("%s is reported once, asked rarely, and caught up whole", async (_name, number, forMs) => {
  const fixture = await createFixture();
  await fixture.fault(number, { for_ms: forMs });
  await fixture.news();
  await fixture.clock.advance(forMs / 3);
  expect(fixture.upstreamAlerts()).toEqual(["upstream.dark"]);
  await fixture.news();
  const before = (await fixture.control("requests")).total;
  await fixture.clock.advance(forMs / 2);
  expect((await fixture.control("requests")).total - before).toBeLessThan(60);
  await fixture.clock.advance(forMs / 2);
  await fixture.news();
  await fixture.clock.advance(3 * MINUTE);
  fixture.expectAllAlerted();
  expect(fixture.upstreamAlerts()).toEqual(["upstream.dark", "upstream.recovered"]);
});

it.each([
  ["fault 6: a 403 about the quota", 6, 5 * HOUR, /quota is used up or the subscription has ended/],
  ["fault 7: a 402", 7, 2 * HOUR, /wants payment/],
  ["fault 8: a 401", 8, 2 * HOUR, /refuses the API key/],
])(
  "%s pauses all polling at once, is reported once in its own words, and ends by itself",
  async (_name, number, forMs, words) => {
    const fixture = await createFixture();
    await fixture.fault(number, { for_ms: forMs });
    await fixture.news();
    await fixture.control("requests", undefined, "DELETE");
    await fixture.clock.advance(forMs - HOUR);
    const { billed, requests } = await fixture.control("requests");
    expect(billed).toBe(0);
    // Only requests in progress at the first refusal may follow it. From then on only
    // /key-usage-info is called, which is free.
    expect(
      requests.filter(({ endpoint }: { endpoint: string }) => endpoint !== "key-usage-info").length,
    ).toBeLessThanOrEqual(4);
    expect(fixture.opsAlertTypes()).toEqual(["upstream.dark"]);
    expect(fixture.opsAlerts()[0]?.message).toMatch(words);
    await fixture.clock.advance(2 * HOUR + 5 * MINUTE);
    expect(fixture.opsAlertTypes()).toEqual(["upstream.dark", "upstream.recovered"]);
    fixture.expectAllAlerted();
  },
);

it("fault 9: a 400 marks its watch alone, with the service's words, and is not asked again in a loop", async () => {
  const fixture = await createFixture();
  await fixture.fault(9, { endpoint: "search-tweets", for_ms: 30 * HOUR });
  await fixture.news();
  const before = (await fixture.requests("search-tweets")).length;
  // The key is tried at once, and after 1, 6, 21 and 81 minutes.
  await fixture.clock.advance(2 * HOUR);
  expect((await fixture.requests("search-tweets")).length - before).toBe(5);
  fixture.expectAllAlerted(["timeline", "followers"]);
  expect(fixture.opsAlertTypes()).toEqual(["target.unavailable"]);
  expect(fixture.opsAlerts()[0]?.message).toMatch(/search.*query is not valid/);
});

it("fault 9: a 400 that passes costs a minute, not a day", async () => {
  const fixture = await createFixture({ schedule: "@every 1m" });
  await fixture.fault(9, { endpoint: "search-tweets" });
  await fixture.news();
  await fixture.clock.advance(3 * MINUTE);
  fixture.expectAllAlerted();
  expect(fixture.opsAlertTypes()).toEqual(["target.unavailable", "target.available"]);
});

it("fault 10: a watched account that answers 404 is reported once, asked rarely, and caught up when it is back", async () => {
  const fixture = await createFixture();
  await fixture.fault(10, { endpoint: "user-tweets", for_ms: 3 * HOUR });
  await fixture.news();
  const before = (await fixture.requests("user-tweets")).length;
  await fixture.clock.advance(170 * MINUTE);
  expect((await fixture.requests("user-tweets")).length - before).toBeLessThanOrEqual(7);
  expect(fixture.opsAlertTypes()).toEqual(["target.unavailable"]);
  await fixture.clock.advance(75 * MINUTE);
  fixture.expectAllAlerted();
});

it("fault 11: a tweet that answers 404 is reported as deleted where it is watched, and only there", async () => {
  let ids: readonly string[] = [];
  const fixture = await createFixture({
    prepare: async (control) =>
      void (ids = (await control("tweets", { username: "alice", text: "doomed", count: 2 })).ids),
    watches: () => ({ doomed: { type: "tweet", tweets: ids, schedule: "@every 1m" } }),
  });
  await fixture.control(`tweets/${ids[0]}`, undefined, "DELETE");
  await fixture.news();
  await fixture.clock.advance(10 * MINUTE);
  expect(fixture.eventsOf("doomed").map(({ type, subject }) => [type, subject])).toEqual([
    ["tweet.deleted", ids[0]],
  ]);
  fixture.expectAllAlerted();
  expect(fixture.opsAlertTypes()).toEqual([]);
});

it.each([
  ["fault 12: a request that is never answered", 12, { times: 3 }],
  ["fault 13: an answer of one byte in five seconds", 13, { times: 3 }],
  ["fault 14: connections that end in the middle of a body", 14, { times: 6 }],
  ["fault 15: pages instead of JSON", 15, { times: 6 }],
  ["fault 15: 200 with nothing", 15, { name: "empty_200", times: 6 }],
  ["fault 15: null instead of an object", 15, { name: "null_200", times: 6 }],
  ["fault 15: pages without their list", 15, { name: "missing_array", times: 6 }],
  ["fault 17: 60 MB", 17, { times: 2 }],
  ["fault 17: a gzip bomb", 17, { name: "gzip_bomb", times: 2 }],
])("%s costs time and no alert, and is never read as nothing", async (_name, number, order) => {
  const fixture = await createFixture({ api: { timeout: "400ms" } });
  await live(fixture, number, order);
  await fixture.clock.advance(8 * MINUTE);
  expect(fixture.debugged.has("request failed")).toBe(true);
  fixture.expectAllAlerted();
  expect(fixture.opsAlertTypes()).toEqual([]);
});

it("fault 16: unknown fields are ignored, and missing and null ones are borne", async () => {
  const fixture = await createFixture();
  await live(fixture, 16, { for_ms: 10 * MINUTE });
  await fixture.clock.advance(3 * MINUTE);
  fixture.expectAllAlerted();
  expect(fixture.opsAlertTypes()).toEqual([]);
});
