/**
 * Tests `enrich` in the whole daemon: what an endpoint adds to events, what happens while it gives
 * no answer, and restarts and reloads.
 */
import { formatStatus } from "../../src/cli/inspect/status-text.ts";
import { expect, it, onTestFinished } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";
import { type Answer, startLoopbackServer } from "../support/loopback-server.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A stand-in for the endpoint, which rates texts with "bad" in them as negative. */
const sentiment: Answer = ({ body }, response) => {
  const { data } = JSON.parse(body);
  const isBad = String(data.tweet.full_text).includes("bad");
  response.end(
    JSON.stringify({
      labels: { sentiment: isBad ? "negative" : "positive", mood: "x", severity: "critical" },
      fields: { translation: `de: ${data.tweet.full_text}` },
    }),
  );
};

const unavailable: Answer = (_, response) => {
  response.statusCode = 503;
  response.end();
};

interface Setup {
  readonly enrich?: object;
  readonly more?: object;
  readonly chat?: true;
}

async function setUp({ enrich = {}, more = {}, chat }: Setup = {}) {
  const endpoint = await startLoopbackServer(sentiment);
  onTestFinished(() => endpoint.close());
  let settings: object | undefined = {
    url: `${endpoint.url}/`,
    allow_private: true,
    labels: ["sentiment"],
    ...enrich,
  };
  const posts = { type: "timeline", accounts: ["one"], schedule: "@every 1m" };
  const daemon = await startInnerDaemon({
    watches: () => ({
      rated: { ...posts, ...(settings === undefined ? {} : { enrich: settings }) },
    }),
    more,
    ...(chat === undefined ? {} : { chat }),
    prepare: (control) => control("tweets", { username: "one", text: "old" }),
  });
  const { clock, hook, control } = daemon;
  await clock.advance(5 * MINUTE);
  return {
    ...daemon,
    endpoint,
    setEnrich: (next: object | undefined) => {
      settings =
        next === undefined
          ? undefined
          : { url: `${endpoint.url}/`, allow_private: true, labels: ["sentiment"], ...next };
    },
    post: async (text: string, waitMs = 2 * MINUTE): Promise<string> => {
      const { ids } = await control("tweets", { username: "one", text });
      await clock.advance(waitMs);
      return ids[0];
    },
    alerts: () =>
      hook
        .events()
        .map(({ subject, labels, data }) => ({ subject, labels, fields: data.enrichment })),
  };
}

it("adds labels and fields before routing, and none that the watch does not declare or the daemon sets", async () => {
  const route = {
    sink: "hook",
    routes: [{ matchers: ['sentiment="positive"', 'enrich="ok"'], sink: "ops" }],
  };
  const { post, alerts, ops, endpoint, logged } = await setUp({ more: { route } });
  const bad = await post("a bad day");
  const good = await post("a good day");
  expect(alerts()).toEqual([
    {
      subject: bad,
      labels: expect.objectContaining({ sentiment: "negative", enrich: "ok", severity: "info" }),
      fields: { translation: "de: a bad day" },
    },
  ]);
  expect(alerts()[0]?.labels).not.toHaveProperty("mood");
  expect(ops.events().map(({ subject }) => subject)).toEqual([good]);
  // No request is made for tweets of the baseline.
  expect(endpoint.received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: "tweet.created", data: { watch: "rated", tweet: { id: bad } } },
    { type: "tweet.created", data: { tweet: { id: good } } },
  ]);
  expect(
    logged.filter(
      ({ message }) => message === "an enrichment returned labels that the watch does not declare",
    ),
  ).toHaveLength(1);
});

it("asks once about one text while the answer is remembered", async () => {
  const { post, alerts, endpoint, clock, metric } = await setUp({ enrich: { cache: "1h" } });
  await post("a good day");
  await post("a good day");
  expect(endpoint.received).toHaveLength(1);
  expect(alerts().map(({ fields }) => fields.translation)).toEqual([
    "de: a good day",
    "de: a good day",
  ]);
  await clock.advance(60 * MINUTE);
  await post("a good day");
  expect(endpoint.received).toHaveLength(2);
  expect(await metric("chirpwatch_enrichments_total", 'watch="rated",result="cached"')).toBe(1);
});

it("passes an alert on at once without an answer, and reports once that it fails and once that it works again", async () => {
  const { post, alerts, endpoint, opsAlerts, call, metric, status, page } = await setUp();
  endpoint.answer(unavailable);
  const first = await post("one");
  expect(alerts()).toMatchObject([{ subject: first, labels: { enrich: "failed" } }]);
  expect(alerts()[0]).toMatchObject({ fields: undefined });
  const words =
    /events are sent without enrichment: the endpoint answered 503, since \d{4}-\d\d-\d\d \d\d:\d\d UTC/;
  expect(formatStatus(await status(), 0)).toMatch(words);
  expect(await page()).toMatch(words);
  for (const text of ["two", "three", "four"]) await post(text);
  endpoint.answer(sentiment);
  await post("five", 10 * MINUTE);
  await post("six");
  expect(alerts().at(-1)?.labels).toMatchObject({ enrich: "ok", sentiment: "positive" });
  expect((await status()).watches[0]?.enriching).toBeNull();
  expect(opsAlerts().filter(({ type }) => type.startsWith("enrich."))).toEqual([
    {
      type: "enrich.failing",
      message: "Events of rated are not enriched: the endpoint answered 503",
    },
    { type: "enrich.recovered", message: "Events of rated are enriched again." },
  ]);
  const { verdicts } = await call(`explain/${first}`);
  expect(verdicts[0].deliveries).toMatchObject([
    {
      sink: "enrichment",
      state: "not_enriched",
      attempts: 1,
      detail: "the endpoint answered 503",
      wait: null,
    },
    { sink: "hook", state: "sent", routed_by: "route" },
  ]);
  expect(verdicts[0].deliveries[0]).not.toHaveProperty("routed_by");
  expect(await metric("chirpwatch_enrichments_total", 'watch="rated",result="failed"')).toBe(4);
});

it("asks an endpoint that is down less and less often, whatever comes", async () => {
  const { endpoint, control, clock, alerts } = await setUp();
  endpoint.answer(unavailable);
  for (let round = 0; round < 10; round += 1) {
    await control("tweets", { username: "one", text: "much", count: 10 });
    await clock.advance(MINUTE);
  }
  await clock.advance(MINUTE);
  expect(alerts()).toHaveLength(100);
  expect(endpoint.received.length).toBeLessThan(20);
});

it("holds an alert while there is no answer, and says so wherever one asks", async () => {
  const { post, alerts, endpoint, call, status, clock, page } = await setUp({
    enrich: { on_error: "hold" },
  });
  endpoint.answer(unavailable);
  const id = await post("a good day");
  expect(alerts()).toEqual([]);
  const { verdicts } = await call(`explain/${id}`);
  expect(verdicts[0].deliveries).toMatchObject([
    {
      sink: "enrichment",
      state: "waiting",
      wait: { cause: "enriching", reason: "no answer: the endpoint answered 503" },
    },
  ]);
  expect((await status()).watches[0]?.enriching).toMatchObject({
    waiting: 1,
    error: "the endpoint answered 503",
  });
  expect(await page()).toContain("1 event not enriched yet: the endpoint answered 503");
  endpoint.answer(sentiment);
  await clock.advance(3 * MINUTE);
  expect(alerts()).toMatchObject([
    { subject: id, labels: { enrich: "ok", sentiment: "positive" } },
  ]);
  expect((await status()).watches[0]?.enriching).toBeNull();
});

it("passes a held alert on when max_hold is over, and asks about younger ones meanwhile", async () => {
  const { post, alerts, endpoint, clock } = await setUp({
    enrich: { on_error: "hold", max_hold: "10m" },
  });
  endpoint.answer((request, response) =>
    (request.body.includes("odd") ? unavailable : sentiment)(request, response),
  );
  const odd = await post("an odd one");
  const good = await post("a good one");
  expect(alerts()).toMatchObject([{ subject: good, labels: { enrich: "ok" } }]);
  await clock.advance(6 * MINUTE);
  expect(alerts()).toHaveLength(1);
  await clock.advance(2 * MINUTE);
  expect(alerts()).toMatchObject([
    { subject: good },
    { subject: odd, labels: { enrich: "failed" } },
  ]);
});

it("goes on after a restart with what waits, once", async () => {
  const { post, alerts, endpoint, clock, stop, start } = await setUp({
    enrich: { on_error: "hold" },
  });
  endpoint.answer(unavailable);
  const id = await post("a good day");
  await stop();
  await clock.advance(30 * MINUTE);
  endpoint.answer(sentiment);
  await start();
  await clock.advance(MINUTE);
  await stop();
  await start();
  await clock.advance(10 * MINUTE);
  expect(alerts()).toMatchObject([
    { subject: id, labels: { enrich: "ok", sentiment: "positive" } },
  ]);
});

it("takes the answer of another endpoint after a reload, and passes what waits on where there is none any more", async () => {
  const { post, alerts, endpoint, clock, setEnrich, reload } = await setUp({
    enrich: { on_error: "hold" },
  });
  endpoint.answer((request, response) =>
    (request.url === "/new" ? sentiment : unavailable)(request, response),
  );
  const moved = await post("a good day");
  setEnrich({ url: `${endpoint.url}/new`, on_error: "hold" });
  await reload();
  await clock.advance(5 * MINUTE);
  expect(alerts()).toMatchObject([{ subject: moved, labels: { enrich: "ok" } }]);
  endpoint.answer(unavailable);
  const left = await post("another day");
  expect(alerts()).toHaveLength(1);
  setEnrich(undefined);
  await reload();
  await clock.advance(5 * SECOND);
  expect(alerts().at(-1)).toMatchObject({ subject: left, labels: { enrich: "failed" } });
  await post("not asked about");
  expect(alerts().at(-1)?.labels).not.toHaveProperty("enrich");
});
