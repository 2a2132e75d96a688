/** Tests how `explain` shows the way of an alert to its sink, and what failed on it. */
import { describe, expect, it, onTestFinished } from "vitest";
import { formatStatus } from "../../../src/cli/inspect/status-text.ts";
import { formatExplanation } from "../../../src/cli/inspect/explain-text.ts";
import { json, startLoopbackServer } from "../../support/loopback-server.ts";
import {
  type InnerDaemon,
  type InnerDaemonOptions,
  startInnerDaemon,
} from "../../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const setUp = async (options: Partial<InnerDaemonOptions> = {}): Promise<InnerDaemon> => {
  const daemon = await startInnerDaemon({
    watches: () => ({
      w: { type: "search", query: "zebra", schedule: "@every 10s", labels: { team: "comms" } },
    }),
    prepare: (ask) => ask("accounts", { username: "loud_one" }),
    ...options,
  });
  await daemon.clock.advance(30 * SECOND);
  return daemon;
};

const tweet = async (daemon: InnerDaemon): Promise<string> => {
  const { ids } = await daemon.control("tweets", { username: "loud_one", text: "a new zebra" });
  await daemon.clock.advance(15 * SECOND);
  return ids[0];
};

/** Explains an item and returns the delivery to the webhook as JSON, and the whole text. */
const explain = async (daemon: InnerDaemon, id: string) => {
  const view = await daemon.call(`explain/${id}`);
  return {
    delivery: view.verdicts[0].deliveries.find(({ sink }: { sink: string }) => sink === "hook"),
    text: formatExplanation(view),
  };
};

describe("the path of an alert", () => {
  it("names the route with its matchers, and the group", async () => {
    const route = {
      sink: "ops",
      routes: [{ matchers: ['team="comms"'], sink: "hook", group_by: ["team"] }],
    };
    const daemon = await setUp({ more: { route } });
    const { delivery, text } = await explain(daemon, await tweet(daemon));
    expect(delivery).toMatchObject({
      route: "route.routes[0]",
      routed_by: "route",
      matchers: ['team="comms"'],
      group: ['team="comms"'],
    });
    expect(text).toContain(
      '    route    route.routes[0] (team="comms")\n    group    team="comms"',
    );
  });

  it("lists each attempt with its time and the answer", async () => {
    const daemon = await setUp();
    let failures = 2;
    daemon.hook.answer((_, response) => response.writeHead(failures-- > 0 ? 503 : 204).end());
    const id = await tweet(daemon);
    await daemon.clock.advance(MINUTE);
    const { delivery, text } = await explain(daemon, id);
    const failed = {
      result: "failed",
      answer: expect.stringContaining("503") as string,
      at: expect.any(String) as string,
    };
    expect(delivery.attempt_log).toEqual([
      failed,
      failed,
      { at: delivery.sent_at, result: "sent", answer: "" },
    ]);
    expect(text).toMatch(
      /(^ {4}attempt {2}2026-03-06 \d\d:\d\d:\d\d failed: .*503.*\n){2} {4}attempt {2}2026-03-06 \d\d:\d\d:\d\d sent$/m,
    );
  });

  it("links to the message, in the place that the sink's answer names", async () => {
    const discord = await startLoopbackServer(json({ id: "900", channel_id: "55" }));
    onTestFinished(discord.close);
    const feed = { type: "discord", webhook_url: `${discord.url}/api/webhooks/1/x`, guild_id: "7" };
    const daemon = await setUp({ opsSink: "hook", more: { sinks: { hook: feed } } });
    const { delivery, text } = await explain(daemon, await tweet(daemon));
    expect(delivery.link).toBe("https://discord.com/channels/7/55/900");
    expect(text).toContain("    link     https://discord.com/channels/7/55/900");
  });

  it("shows the silence that holds it back, its author and its comment", async () => {
    const daemon = await setUp();
    await daemon.call("silences", "POST", {
      matchers: ["watch=w"],
      duration: "2h",
      comment: "launch",
      author: "alice",
    });
    const id = await tweet(daemon);
    const { delivery, text } = await explain(daemon, id);
    expect(delivery).toMatchObject({
      state: "silenced",
      silence: { id: "1", author: "alice", comment: "launch", matchers: ["watch=w"] },
    });
    expect(text).toMatch(
      /^ {4}silence {2}1 by alice until 2026-03-06 \d\d:\d\d:\d\d \(watch=w\): launch$/m,
    );
    await daemon.call("silences/replay", "POST");
    await daemon.clock.advance(MINUTE);
    expect((await explain(daemon, id)).text).toMatch(/^ {4}replayed 2026-03-06 /m);
  });

  it("says by which route, matchers and group it was sent, whatever the configuration says now", async () => {
    const routeTo = (sink: string) => ({
      sink: "ops",
      routes: [{ matchers: ['team="comms"'], sink, group_by: ["team"] }],
    });
    const more = { route: routeTo("hook") };
    const daemon = await setUp({ more });
    const id = await tweet(daemon);
    more.route = routeTo("ops");
    await daemon.reload();
    const { delivery, text } = await explain(daemon, id);
    expect(delivery).toMatchObject({
      route: "route.routes[0]",
      routed_by: "route",
      matchers: ['team="comms"'],
      group: ['team="comms"'],
    });
    expect(text).toContain(
      '    route    route.routes[0] (team="comms")\n    group    team="comms"',
    );
  });

  it("names the template that wrote it, and says where one failed and the default was sent", async () => {
    const templates = {
      short: { events: ["tweet.*"], title: "short" },
      broken: { events: ["tweet.*"], title: "{{ tweet.full_text | graphemes: 0 }}" },
    };
    for (const [template, said] of [
      ["short", "short"],
      [
        "broken",
        "broken failed, the default message was sent: graphemes needs a number: write it like graphemes: 200",
      ],
    ]) {
      const daemon = await setUp({ more: { templates }, sink: { template } });
      const { text } = await explain(daemon, await tweet(daemon));
      expect(text).toContain(`    template ${said}`);
    }
    const plain = await setUp();
    expect((await explain(plain, await tweet(plain))).text).not.toContain("template");
  });

  it("says when an alert on a value is sent again, as the status does", async () => {
    let id = "";
    const daemon = await startInnerDaemon({
      watches: () => ({
        w: { type: "tweet", tweets: [id], when: { likes_count: ">= 1000" }, schedule: "@every 2m" },
      }),
      prepare: async (control) => {
        await control("accounts", { username: "loud_one" });
        [id = ""] = (await control("tweets", { username: "loud_one", text: "a tweet" })).ids;
      },
      sink: { repeat_interval: "2h" },
    });
    await daemon.clock.advance(3 * MINUTE);
    await daemon.control(`tweets/${id}`, { likes_count: 1_234 }, "PATCH");
    await daemon.clock.advance(3 * MINUTE);
    const { delivery, text } = await explain(daemon, id);
    expect(delivery.repeat).toEqual({
      count: 0,
      next_at: expect.stringMatching(/^2026-03-06T15:4/) as string,
    });
    expect(text).toMatch(
      /^ {4}repeat {3}2026-03-06 15:4\d:\d\d while the value stays past its threshold$/m,
    );
    const said = formatStatus(await daemon.status(), daemon.clock.now());
    expect(said).toMatch(
      /^hook: 1 alert is repeated while its value stays past the threshold, next 15:4\d UTC \(in \S+\)$/m,
    );
    expect(await daemon.page()).toContain("1 sent again, next");
    await daemon.clock.advance(3 * 60 * MINUTE);
    const first = (await daemon.call(`explain/${id}`)).verdicts[0].deliveries[0];
    expect(first.repeat).toMatchObject({ count: 1 });
    expect((await explain(daemon, id)).text).toContain("sent again once so far");
  });
});

describe("an item that was filtered", () => {
  it("names the condition that was false and what it saw", async () => {
    const where = 'tweet.lang != "" && tweet.user.followers_count >= 5000000';
    const daemon = await setUp({
      watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 10s", where } }),
    });
    const view = await daemon.call(`explain/${await tweet(daemon)}`);
    expect(formatExplanation(view)).toMatch(
      /verdict {2}no alert: filtered \(where is false: .*; false: tweet\.user\.followers_count >= 5000000 \(tweet\.user\.followers_count is \d+\)\)/,
    );
  });
});
