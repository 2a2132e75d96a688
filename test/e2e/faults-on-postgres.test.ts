/**
 * Tests faults of the network to Postgres, and a server with a full disk: nothing is lost or
 * created twice, and everything resumes by itself.
 */
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { type Chosen, PostgresProxy } from "../support/postgres-proxy.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, createFixture, hookSink, morePolls, noted, sorted } from "./fixture.ts";

cleanUpAfterwards();

const wrote =
  (start: string): Chosen =>
  (texts) =>
    texts.some((text) => text.startsWith(start));
/** For each step of an alert on its way, whether a transaction commits it. */
const STEPS = {
  reserve: wrote('insert into "ledger"'),
  commitPoll: wrote('insert into "events"'),
  seal: wrote('insert into "messages"'),
  record: wrote('update "messages" set "state"'),
};

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

/**
 * Starts a daemon that has read its watch once. Each test has a daemon and a proxy to the server of
 * its own.
 */
async function start({ onTestFinished }: TestContext) {
  const proxy = await PostgresProxy.start(server.port);
  onTestFinished(() => proxy.close());
  const fixture = await createFixture();
  fixture.configure({
    state: { url: proxy.urlOf(await server.url()) },
    watches: { w: { type: "search", query: "acme", sink: "hook" } },
    sinks: {
      hook: hookSink(fixture.hook),
      ops: { ...hookSink(fixture.hook), url: `${fixture.hook.url}?ops` },
    },
    ops: { sink: "ops" },
  });
  fixture.api.post("search:acme", 10);
  const daemon = await fixture.start();
  await noted(daemon, "w");
  const fresh: string[] = [];
  const subjects = () =>
    new Set(fixture.hook.events().flatMap(({ subject }) => (subject === "" ? [] : [subject])));
  const arrived = () =>
    until(
      "every tweet",
      () => {
        const known = subjects();
        return fresh.every((id) => known.has(id));
      },
      () => `${subjects().size} of ${fresh.length}\n${daemon.err()}`,
    );
  return {
    ...{ proxy, fixture, daemon, arrived },
    post: () => fresh.push(...fixture.api.post("search:acme", 4)),
    /** Checks that each tweet is one event in one message, which arrived once. */
    async expectOnce(): Promise<void> {
      await arrived();
      await morePolls(fixture.api, "search-tweets");
      expect(sorted([...subjects()])).toEqual(sorted(fresh));
      const tweets = fixture.hook
        .messages()
        .filter(({ events }) => events.some(({ subject }) => subject !== ""));
      expect(tweets.flatMap(({ events }) => events)).toHaveLength(fresh.length);
      expect(new Set(tweets.map(({ id }) => id)).size).toBe(tweets.length);
      // A result that could not be stored at first is stored some seconds later.
      await until(
        "an empty outbox",
        async () =>
          (await daemon.status()).sinks.every(({ waiting, dead }) => waiting + dead === 0),
        daemon.err,
      );
    },
  };
}

describe.concurrent("a way to Postgres with faults", () => {
  it("fault 87: a COMMIT whose answer is lost is repeated, whatever it committed", async (context) => {
    const { proxy, daemon, post, arrived, expectOnce } = await start(context);
    for (const [step, chosen] of Object.entries(STEPS)) {
      const before = proxy.lost;
      proxy.loseAnswer(chosen);
      post();
      await until(`a lost answer of ${step}`, () => proxy.lost > before, daemon.err);
      await arrived();
    }
    await expectOnce();
  });

  it("answers that are late, or for a while do not come at all", async (context) => {
    const { proxy, post, arrived, expectOnce } = await start(context);
    proxy.delayMs = 30;
    post();
    await arrived();
    proxy.isSilent = true;
    post();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    proxy.isSilent = false;
    await arrived();
    proxy.delayMs = 0;
    await expectOnce();
  });

  it("connections that are cut", async (context) => {
    const { proxy, fixture, post, expectOnce } = await start(context);
    for (let cuts = 0; cuts < 3; cuts += 1) {
      post();
      await morePolls(fixture.api, "search-tweets", 1);
      proxy.cut();
    }
    await expectOnce();
  });

  it("a server whose disk is full: polling stops, ops and status say so, and all goes on by itself", async (context) => {
    const { proxy, fixture, daemon, post, expectOnce } = await start(context);
    proxy.refuse = (text) => (/^(?:insert|update)/.test(text) ? "53100" : undefined);
    post();
    await until(
      "a status that says so",
      async () => (await daemon.status()).state === "paused",
      daemon.err,
    );
    expect((await daemon.status()).reasons.join(" ")).toContain(
      "The disk of the Postgres server is full.",
    );
    expect((await fetch(`${daemon.url}/healthz`)).status).toBe(503);
    await until("a word to ops", () =>
      fixture.hook
        .messages()
        .some(({ body }) => body.includes("disk of the Postgres server is full")),
    );
    const before = fixture.api.count("search-tweets");
    post();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(fixture.api.count("search-tweets") - before).toBeLessThanOrEqual(1);
    proxy.refuse = () => undefined;
    await expectOnce();
    let health = "";
    await until(
      "a daemon that says it is healthy",
      async () => {
        const answer = await fetch(`${daemon.url}/healthz`);
        health = await answer.text();
        return answer.status === 200;
      },
      () => `${health}\n${daemon.err()}`,
    );
    expect((await daemon.status()).reasons).toEqual([]);
  });
});
