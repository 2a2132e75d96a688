/** What the service is asked: never too fast, never beyond the quota, nothing twice, and nothing more than it takes. */
import { describe, expect, it } from "vitest";
import { farResetDay } from "../support/daemon-process.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, morePolls, noted, createFixture, sorted } from "./fixture.ts";

cleanUpAfterwards();

describe.concurrent("requests", () => {
  // How soon: test/app/first-reads.test.ts.
  it("read 100 accounts at the start, and never exceed 20 in any one second", async () => {
    const fixture = await createFixture();
    const names = Array.from({ length: 100 }, (_, i) => `account${i}`);
    const ids = names.map((name) => fixture.api.account(name));
    for (const id of ids) fixture.api.post(`user:${id}`, 3);
    fixture.configure({ watches: { w: { type: "timeline", accounts: names } } });
    const daemon = await fixture.start();
    const read = () =>
      new Set(fixture.api.asked.filter(({ endpoint }) => endpoint === "user-tweets").map(({ params }) => params["user_id"]));
    await until("all 100", () => read().size === 100, daemon.err);
    const { asked } = fixture.api;
    const firstReads = asked.slice(0, asked.map(({ endpoint }) => endpoint).lastIndexOf("user-tweets"));
    expect(firstReads.filter(({ endpoint }) => endpoint === "info-batch")).toHaveLength(1);
    await morePolls(fixture.api, "info-batch", 2);
    expect(fixture.api.busiestSecond()).toBeLessThanOrEqual(20);
    expect(fixture.hook.subjects()).toEqual([]);
  });

  it("fault 1: stay within the rate through refusals, and lose nothing", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    const daemon = await fixture.start();
    await noted(daemon, "w");
    let refusals = 3;
    fixture.api.fault((endpoint, response) => {
      if (endpoint !== "search-tweets" || refusals-- <= 0) return false;
      response.writeHead(429, { "content-type": "application/json" }).end('{"message":"Too Many Requests"}');
      return true;
    });
    const fresh = fixture.api.post("search:acme", 4);
    await until("the alerts", () => fixture.hook.subjects().length >= 4, daemon.err);
    expect(sorted(fixture.hook.subjects())).toEqual(sorted(fresh));
    const refused = fixture.api.asked.filter(({ status }) => status === 429).map(({ atMs }) => atMs);
    for (const [i, atMs] of refused.entries()) if (i > 0) expect(atMs - (refused[i - 1] ?? 0)).toBeGreaterThan(900);
  });

  it("never pass quota.monthly, and say why polling stopped", async () => {
    const fixture = await createFixture();
    fixture.configure({
      api: {
        base_url: fixture.api.url,
        key: fixture.api.key,
        quota: { monthly: 12, reset_day: farResetDay(), reserve: "0%", on_exhausted: "pause" },
      },
      watches: { w: { type: "search", query: "acme" }, v: { type: "search", query: "rival" } },
    });
    const daemon = await fixture.start();
    const billed = () => fixture.api.asked.filter(({ endpoint }) => endpoint !== "key-usage-info").length;
    const reasons = async () => (await daemon.status()).reasons.join(" ");
    await until("a word about the quota", async () => /quota is spent: 12 of 12/.test(await reasons()), daemon.err);
    expect((await daemon.status()).state).toBe("paused");
    daemon.kill("SIGKILL");
    await daemon.gone;
    const second = await fixture.start();
    await until("the status", () => second.status());
    await second.logged(/baseline done|ops alert/);
    expect(billed()).toBeLessThanOrEqual(12);
    expect((await second.status()).quota).toMatchObject({ limit: 12 });
    expect((await second.status()).quota.spent).toBeLessThanOrEqual(12);
  });

  it("ask identical sources of several watches once", async () => {
    const fixture = await createFixture();
    const alice = fixture.api.account("alice");
    fixture.configure({
      watches: {
        one: { type: "timeline", accounts: ["alice"], labels: { team: "a" } },
        two: { type: "timeline", accounts: ["https://x.com/Alice"], schedule: "@every 2s" },
        three: { type: "timeline", accounts: [`id:${alice}`], where: "tweet.likes_count > 1000" },
      },
    });
    const daemon = await fixture.start();
    await Promise.all(["one", "two", "three"].map((watch) => noted(daemon, watch)));
    const begun = performance.now();
    const before = fixture.api.count("user-tweets");
    const [id] = fixture.api.post(`user:${alice}`, 1);
    await until("both alerts", () => fixture.hook.events().length >= 2);
    await morePolls(fixture.api, "user-tweets", 3);
    expect(
      fixture.hook
        .events()
        .map(({ watch, subject }) => `${watch} ${subject}`)
        .sort(),
    ).toEqual([`one ${id}`, `two ${id}`]);
    const polls = fixture.api.count("user-tweets") - before;
    expect(polls).toBeLessThanOrEqual(Math.ceil((performance.now() - begun) / 1_000) + 1);
  });

  it('fault 4, 5, 14: broken answers are never "no items", and cost no alert', async () => {
    const fixture = await createFixture();
    const acme = fixture.api.account("acme");
    fixture.api.score(acme, { week_delta: 0, month_delta: 0 });
    fixture.api.follow(acme, 5);
    fixture.configure({
      watches: { w: { type: "search", query: "acme" }, f: { type: "new_followers", accounts: ["acme"], source: "indexed" } },
    });
    const daemon = await fixture.start();
    await Promise.all([noted(daemon, "w"), noted(daemon, "f")]);
    let broken = 6;
    fixture.api.fault((endpoint, response) => {
      if (endpoint === "key-usage-info" || broken-- <= 0) return false;
      if (broken % 3 === 0) response.writeHead(502, { "content-type": "text/html" }).end("<html>Bad Gateway</html>");
      else if (broken % 3 === 1) response.writeHead(200, { "content-type": "application/json" }).end("");
      else {
        response
          .writeHead(200, { "content-type": "application/json", "content-length": "5000" })
          .write('{"next_cursor":null,"tweets":[{"id":');
        response.socket?.destroy();
      }
      return true;
    });
    const fresh = [...fixture.api.post("search:acme", 2), ...fixture.api.follow(acme, 2)];
    await until("the alerts", () => fixture.hook.subjects().length >= 4, daemon.err);
    expect(sorted(fixture.hook.subjects())).toEqual(sorted(fresh));
    expect(daemon.log().filter(({ level }) => level === "error")).toEqual([]);
  });

  it("show metrics under the names of the project and of its process, with the delay people care about", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    const daemon = await fixture.start();
    await noted(daemon, "w");
    fixture.api.post("search:acme", 1);
    await until("an alert", () => fixture.hook.messages().length > 0);
    const metrics = await until("the delay", async () => {
      const text = await daemon.get("/metrics");
      return /^chirpwatch_delivery_delay_seconds_count\{[^}]*\} 1$/m.test(text) ? text : undefined;
    });
    for (const line of metrics.split("\n").filter((one) => one !== "" && !one.startsWith("#")))
      expect(line).toMatch(/^(chirpwatch|process|nodejs)_/);
  });
});
