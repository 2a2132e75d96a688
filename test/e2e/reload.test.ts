/** Tests changes of a running daemon: reloads in three ways, a pause, and a new key. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder } from "../support/bin-process.ts";
import { baseConfig, startDaemonHere, writeConfig } from "../support/daemon-process.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, hookSink, morePolls, noted, createFixture, sorted } from "./fixture.ts";

cleanUpAfterwards();

describe.concurrent("a running daemon", () => {
  it("takes a changed file over by SIGHUP, by request and by itself; labels keep the memory, new accounts never flood", async () => {
    const fixture = await createFixture();
    const [alice, bob, carol] = ["alice", "bob", "carol"].map((name) => fixture.api.account(name));
    for (const id of [alice, bob, carol]) fixture.api.post(`user:${id}`, 30);
    const watches = (accounts: readonly string[], labels: Record<string, string> = {}) => ({
      watches: { w: { type: "timeline", accounts, labels, strategy: "single" } },
    });
    fixture.configure(watches(["alice"]));
    const daemon = await fixture.start();
    await noted(daemon, "w");

    fixture.configure(watches(["alice"], { team: "comms" }));
    daemon.kill("SIGHUP");
    await until(
      "a reload",
      () => daemon.log().filter(({ msg }) => msg === "configuration reloaded").length >= 1,
    );
    const first = fixture.api.post(`user:${alice}`, 1);
    await until("an alert", () => fixture.hook.subjects().length >= 1);
    expect(fixture.hook.events()[0]).toMatchObject({
      subject: first[0],
      labels: { team: "comms" },
    });

    fixture.configure(watches(["alice", "bob"]));
    expect(await daemon.post("/api/v1/reload")).toMatchObject({ status: 200 });
    await until("bob's baseline", () =>
      fixture.api.asked.some(({ params }) => params["user_id"] === bob),
    );

    fixture.configure(watches(["alice", "bob", "carol"]));
    await until(
      "a reload by itself",
      () => daemon.log().filter(({ msg }) => msg === "configuration reloaded").length >= 3,
    );
    await until("carol's baseline", () =>
      fixture.api.asked.some(({ params }) => params["user_id"] === carol),
    );
    await morePolls(fixture.api, "user-tweets", 6);
    expect(fixture.hook.subjects()).toEqual(first);
    const more = [bob, carol].flatMap((id) => fixture.api.post(`user:${id}`, 1));
    await until("their first alerts", () => fixture.hook.subjects().length >= 3);
    expect(sorted(fixture.hook.subjects())).toEqual(sorted([...first, ...more]));
  });

  it("logs one line for a file that did not change, and for a changed one who asked and what changed", async () => {
    const fixture = await createFixture();
    const watches = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`w${n}`, { type: "search", query: `q${n}` }]),
    );
    fixture.configure({ watches });
    const daemon = await fixture.start();
    await Promise.all(Object.keys(watches).map((id) => noted(daemon, id)));
    const before = daemon.log().length;
    const unchangedBy = (who: string) =>
      daemon
        .log()
        .some(({ msg, asked_by }) => msg === "configuration unchanged" && asked_by === who);
    daemon.kill("SIGHUP");
    await until("the first reload", () => unchangedBy("SIGHUP"), daemon.err);
    expect((await daemon.post("/api/v1/reload")).body).toBe(
      '{"status":"reloaded","changed":false,"memory":[]}',
    );
    await until("the second reload", () => unchangedBy("API"), daemon.err);
    // Further log lines of a reload come within 50 ms.
    await morePolls(fixture.api, "search-tweets", 2);
    expect(daemon.log().length - before).toBe(2);

    const edited = {
      ...watches,
      w3: { type: "search", query: "edited" },
      more: { type: "search", query: "more" },
    };
    fixture.configure({ watches: edited });
    expect(await daemon.logged("configuration reloaded")).toMatchObject({
      asked_by: "file change",
      watches: 41,
      files: ["watches.yaml"],
      watches_added: ["more"],
      watches_changed: ["w3"],
    });
    const linesOf = (watch: string) =>
      daemon.log().filter((line) => line["watch"] === watch).length;
    await until(
      "the lines of what is new",
      () => linesOf("more") >= 1 && linesOf("w3") >= 2,
      daemon.err,
    );
    expect(Object.keys(edited).filter((id) => linesOf(id) !== (id === "w3" ? 2 : 1))).toEqual([]);
  });

  it("fault 79: keeps the old configuration when the new one is broken, and says where", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: { w: { type: "search", query: "acme" } }, ops: { sink: "hook" } });
    const daemon = await fixture.start();
    await noted(daemon, "w");
    writeConfig(fixture.folder, "version: 1\nwatches:\n  w: { type: serch, sink: hook }\n");
    const refused = await daemon.post("/api/v1/reload");
    expect(refused.status).toBe(422);
    expect(refused.body).toMatch(/watches\.yaml:3:\d+.*serch/);
    expect((await daemon.status()).config.failed_reload?.errors.join("\n")).toMatch(
      /watches\.yaml:3:\d+/,
    );
    await until("a word to ops", () =>
      fixture.hook.events().some(({ type }) => type === "config.refused"),
    );
    const fresh = fixture.api.post("search:acme", 1);
    await until("an alert all the same", () =>
      fixture.hook.events().some(({ subject }) => subject === fresh[0]),
    );
  });

  it("keeps the sandbox's tweets out of real channels at a reload, too", async () => {
    const folder = makeFolder();
    const watches = { w: { type: "search", query: "acme" } };
    const config = {
      ...baseConfig("sandbox", "sandbox"),
      watches,
      sinks: { here: { type: "console" } },
    };
    writeConfig(folder, config);
    const daemon = await startDaemonHere({ folder });
    await noted(daemon, "w");
    writeConfig(folder, {
      ...config,
      sinks: { there: { type: "discord", webhook_url: "https://discord.com/api/webhooks/1/t" } },
    });
    const refused = await daemon.post("/api/v1/reload");
    expect(refused.status).toBe(422);
    expect(refused.body).toContain("refusing to send invented tweets to there");
    expect((await daemon.status()).sinks.map(({ name }) => name)).toEqual(["here"]);
  });

  it("loses nothing that is found while a sink gets another name", async () => {
    const fixture = await createFixture();
    const named = (sink: string) => ({
      watches: { w: { type: "search", query: "acme", sink } },
      sinks: { [sink]: hookSink(fixture.hook) },
    });
    fixture.configure(named("before"));
    const daemon = await fixture.start();
    await noted(daemon, "w");
    // A send in progress makes the reload wait for its end.
    fixture.hook.answer((_, response) => setTimeout(() => response.writeHead(204).end(), 3_000));
    const fresh = [...fixture.api.post("search:acme", 1)];
    await until("a send under way", () => fixture.hook.messages().length > 0);
    fixture.configure(named("after"));
    const reload = daemon.post("/api/v1/reload");
    await morePolls(fixture.api, "search-tweets", 1);
    fresh.push(...fixture.api.post("search:acme", 3));
    await morePolls(fixture.api, "search-tweets", 1);
    expect((await reload).status).toBe(200);
    fixture.hook.answer((_, response) => response.writeHead(204).end());
    await until(
      "all of it",
      () => new Set(fixture.hook.subjects()).size >= fresh.length,
      daemon.err,
    );
    expect(sorted([...new Set(fixture.hook.subjects())])).toEqual(sorted(fresh));
  });

  it("says what waits for a sink that is gone, and delivers it when the sink is named again", async () => {
    const fixture = await createFixture();
    const named = (sink: string) => ({
      watches: { w: { type: "search", query: "acme", sink } },
      sinks: { [sink]: hookSink(fixture.hook) },
    });
    fixture.configure(named("before"));
    const daemon = await fixture.start();
    await noted(daemon, "w");
    fixture.hook.answer((_, response) => response.writeHead(503).end());
    const alerted = fixture.api.post("search:acme", 2);
    await until("refused attempts", () => new Set(fixture.hook.subjects()).size >= alerted.length);
    fixture.configure(named("after"));
    expect((await daemon.post("/api/v1/reload")).status).toBe(200);
    expect(await daemon.logged(/^deliveries are waiting for a sink/)).toMatchObject({
      sink: "before",
      waiting: 2,
    });
    expect((await daemon.status()).reasons).toEqual([
      expect.stringMatching(/^before is no longer a sink, but 2 of its deliveries are waiting/),
    ]);
    const arrived = new Set<string>();
    fixture.hook.answer((request, response) => {
      arrived.add(JSON.parse(request.body).data.tweet.id);
      response.writeHead(204).end();
    });
    fixture.configure(named("before"));
    expect((await daemon.post("/api/v1/reload")).status).toBe(200);
    await until("what waited", () => arrived.size >= alerted.length, daemon.err);
    await until("no reason", async () => (await daemon.status()).reasons.length === 0, daemon.err);
  });

  it("fault 80: delivers what waits of a watch that was removed, and gives it its memory back when it returns", async () => {
    const fixture = await createFixture();
    const both = {
      w: { type: "search", query: "acme" },
      other: { type: "search", query: "other" },
    };
    fixture.configure({ watches: both });
    const daemon = await fixture.start();
    await Promise.all([noted(daemon, "w"), noted(daemon, "other")]);
    fixture.hook.answer((_, response) => response.writeHead(503).end());
    const alerted = fixture.api.post("search:acme", 3);
    // After the first refusal the other alerts may wait without an attempt of their own.
    const waiting = async () =>
      (await daemon.status()).sinks.reduce((sum, sink) => sum + sink.waiting, 0);
    await until("a refused attempt", () => fixture.hook.subjects().length > 0);
    await until("all of them to wait", async () => (await waiting()) >= alerted.length);
    fixture.configure({ watches: { other: both.other } });
    expect(await daemon.post("/api/v1/reload")).toMatchObject({ status: 200 });
    expect((await daemon.status()).watches.map(({ id }) => id)).toEqual(["other"]);
    const arrived: string[] = [];
    fixture.hook.answer((request, response) => {
      arrived.push(JSON.parse(request.body).data.tweet.id);
      response.writeHead(204).end();
    });
    await until("what waited", () => arrived.length >= alerted.length, daemon.err);
    const meanwhile = fixture.api.post("search:acme", 2);
    fixture.configure({ watches: both });
    expect(await daemon.post("/api/v1/reload")).toMatchObject({ status: 200 });
    await until(
      "what it missed",
      () => arrived.length >= alerted.length + meanwhile.length,
      daemon.err,
    );
    await morePolls(fixture.api, "search-tweets", 4);
    expect(sorted(arrived)).toEqual(sorted([...alerted, ...meanwhile]));
  });

  it("fault 81: a watch under a new name keeps its memory by moved_from, and without it begins anew in silence", async () => {
    const fixture = await createFixture();
    const watch = { type: "search", query: "acme" };
    fixture.configure({ watches: { w: watch } });
    fixture.api.post("search:acme", 12);
    const daemon = await fixture.start();
    await noted(daemon, "w");
    daemon.kill("SIGTERM");
    await daemon.gone;
    const missed = fixture.api.post("search:acme", 3);
    fixture.configure({ watches: { renamed: { ...watch, moved_from: "w" } } });
    const again = await fixture.start();
    await again.logged(/^renamed: baseline done, \d+ items known/);
    await until(
      "what it missed, under its new name",
      () => fixture.hook.events().length >= missed.length,
      again.err,
    );
    fixture.configure({ watches: { fresh: watch } });
    expect(await again.post("/api/v1/reload")).toMatchObject({ status: 200 });
    await noted(again, "fresh");
    await morePolls(fixture.api, "search-tweets");
    expect(sorted(fixture.hook.subjects())).toEqual(sorted(missed));
    expect(new Set(fixture.hook.events().map((event) => event.watch))).toEqual(
      new Set(["renamed"]),
    );
  });

  it("pauses and resumes a watch over its API, and then reads what the watch missed", async () => {
    const fixture = await createFixture();
    fixture.configure({
      watches: { w: { type: "search", query: "acme" }, other: { type: "search", query: "other" } },
    });
    // Counts first pages only, because a poll in progress continues to its end.
    const asksOf = (query: string) =>
      fixture.api.asked.filter(
        ({ params }) => params["query"]?.includes(query) && params["next_cursor"] === undefined,
      ).length;
    const daemon = await fixture.start();
    await Promise.all([noted(daemon, "w"), noted(daemon, "other")]);
    expect((await daemon.post("/api/v1/watches/w/pause")).status).toBe(200);
    await until(
      "a pause",
      async () => (await daemon.status()).watches.find(({ id }) => id === "w")?.paused,
    );
    const missed = fixture.api.post("search:acme", 20);
    const before = { acme: asksOf("acme"), other: asksOf("other") };
    await until("three polls of the other watch", () => asksOf("other") >= before.other + 3);
    expect(asksOf("acme") - before.acme).toBeLessThanOrEqual(1);
    expect((await daemon.post("/api/v1/watches/nobody/pause")).status).toBe(404);
    expect((await daemon.post("/api/v1/watches/w/resume")).status).toBe(200);
    const seen = () =>
      `${fixture.hook.subjects().length}, ${JSON.stringify(fixture.api.asked.slice(-6))}\n${daemon.err()}`;
    await until("what was missed", () => fixture.hook.subjects().length >= missed.length, seen);
    expect(sorted(fixture.hook.subjects())).toEqual(sorted(missed));
  });

  it("fault 8: a refused key stops polling, alerts ops, and a new key file brings it back", async () => {
    const fixture = await createFixture();
    writeFileSync(join(fixture.folder, "key"), `${fixture.api.key}\n`);
    fixture.configure({
      api: { base_url: fixture.api.url, key_file: "key" },
      watches: { w: { type: "search", query: "acme" } },
      sinks: { hook: hookSink(fixture.hook) },
      ops: { sink: "hook" },
    });
    const daemon = await fixture.start();
    await noted(daemon, "w");
    fixture.api.keys.clear();
    await until("a word to ops", () =>
      fixture.hook.events().some(({ type }) => type === "upstream.dark"),
    );
    const missed = fixture.api.post("search:acme", 9);
    const refused = fixture.api.asked.filter(({ status }) => status === 401).length;
    expect((await daemon.status()).upstream.up).toBe(false);
    expect(refused).toBeLessThanOrEqual(3);
    fixture.api.keys.add("the-new-key");
    writeFileSync(join(fixture.folder, "key"), "the-new-key\n");
    await until(
      "what was missed",
      () => fixture.hook.subjects().filter((id) => missed.includes(id)).length >= missed.length,
      daemon.err,
    );
    await until("a word to ops", () =>
      fixture.hook.events().some(({ type }) => type === "upstream.recovered"),
    );
    expect(`${daemon.out()}${daemon.err()}${await daemon.get("/")}`).not.toMatch(
      /the-new-key|K-of-the-stand-in/,
    );
  });
});
