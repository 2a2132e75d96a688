/** Replays what a whole daemon archived, and compares it with what that daemon sent. */
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type BacktestDeps,
  type BacktestQuery,
  runBacktest,
} from "../../src/app/backtest/backtest.ts";
import type { Config } from "../../src/config/config.ts";
import type { BacktestView } from "../../src/operate/backtest/backtest-view.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import type { OpenedStore } from "../../src/state/open.ts";
import {
  type InnerDaemon,
  type InnerDaemonOptions,
  startInnerDaemon,
} from "../support/inner-daemon.ts";
import { json, startLoopbackServer } from "../support/loopback-server.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

async function setUp(options: Partial<InnerDaemonOptions> = {}) {
  let store: OpenedStore | undefined;
  let watches: object = {
    all: { type: "search", query: "zebra", schedule: "@every 10s" },
    liked: {
      ...{ type: "search", query: "zebra", schedule: "@every 10s" },
      ...{ where: "tweet.likes_count > 5", recheck: { every: "1m", until: "1h" } },
    },
  };
  const daemon = await startInnerDaemon({
    watches: () => watches,
    prepare: async (ask) => {
      for (const username of ["loud_one", "calm_one"]) await ask("accounts", { username });
    },
    storeFilter: (opened) => (store = opened),
    ...options,
  });
  await daemon.clock.advance(30 * SECOND);
  const fromMs = daemon.clock.now();
  const post = async (text: string, username = "loud_one"): Promise<string> =>
    (await daemon.control("tweets", { username, text })).ids[0];
  const backtest = (
    tried: Config,
    query: Partial<BacktestQuery> = {},
    deps: Partial<BacktestDeps> = {},
  ): Promise<BacktestView> => {
    if (store === undefined) throw new Error("no state was opened");
    const untilMs = daemon.clock.now();
    const asked = { sinceMs: fromMs, untilMs, watch: undefined, sink: undefined, limit: 20 };
    return runBacktest(
      daemon.config(),
      tried,
      { ...asked, ...query },
      { store, hash: sha256, onProgress: () => undefined, ...deps },
    );
  };
  const changed = async (other: object): Promise<Config> => {
    const was = watches;
    watches = other;
    const config = await daemon.configNow();
    watches = was;
    return config;
  };
  return { ...daemon, post, backtest, changed };
}

const search = { type: "search", query: "zebra", schedule: "@every 10s" };
/** The schedule of tests that take an hour of the clock. */
const rare = { ...search, schedule: "@every 1m" };

describe("a backtest", () => {
  it("sends with the active configuration what the daemon sent, and says so by watch and sink", async () => {
    const { clock, control, post, hook, config, backtest } = await setUp();
    const [first] = [await post("one zebra"), await post("two zebra", "calm_one")];
    await clock.advance(2 * MINUTE);
    await control(`tweets/${first}`, { likes_count: 7 }, "PATCH");
    await clock.advance(2 * MINUTE);
    expect(hook.events()).toHaveLength(3);
    const view = await backtest(config());
    expect(view.sent).toEqual([]);
    expect([view.added.count, view.gone.count, view.moved.count]).toEqual([0, 0, 0]);
    expect(view.watches).toMatchObject([
      { watch: "all", before: { read: 2, alerted: 2 }, after: { read: 2, alerted: 2 } },
      { watch: "liked", after: { read: 2, alerted: 1 } },
    ]);
    expect(view.sinks.find(({ sink }) => sink === "hook")).toMatchObject({
      before: { alerts: 3, messages: 3 },
      after: { alerts: 3, messages: 3 },
    });
  });

  it("says what a changed configuration adds and leaves out, and why", async () => {
    const { clock, post, backtest, changed } = await setUp();
    const [one, two] = [await post("one zebra"), await post("two zebra", "calm_one")];
    await clock.advance(MINUTE);
    const view = await backtest(
      await changed({ all: { ...search, ignore: { authors: ["calm_one"] } }, liked: search }),
    );
    expect(view.gone).toMatchObject({ count: 1, alerts: [{ watch: "all", before: ["hook"] }] });
    expect(view.added.alerts.map(({ watch }) => watch)).toEqual(["liked", "liked"]);
    expect(view.watches[0]?.after?.reasons).toEqual([
      { reason: "the author @calm_one is ignored", count: 1 },
    ]);
    expect(new Set([...view.alerts].map(({ url }) => url?.split("/").at(-1)))).toEqual(
      new Set([one, two]),
    );
  });

  it("counts how often a condition was false, whatever the values were", async () => {
    const { clock, control, post, config, backtest } = await setUp();
    for (const likes of [1, 2, 3])
      await control(`tweets/${await post(`zebra ${likes}`)}`, { likes_count: likes }, "PATCH");
    await clock.advance(30 * SECOND);
    const { watches } = await backtest(config());
    expect(watches.find(({ watch }) => watch === "liked")?.after?.reasons).toEqual([
      { reason: "where is false: tweet.likes_count > 5", count: 3 },
    ]);
  });

  it("counts those who were on a list when its watch began, and alerts of who joined", async () => {
    const { clock, control, config, backtest } = await setUp({
      watches: () => ({
        fans: { type: "followers", accounts: ["hub"], schedule: "@every 1m" },
      }),
      prepare: async (ask) => {
        for (const username of ["hub", "old_fan", "new_fan"]) await ask("accounts", { username });
        await ask("follows", { target: "hub", follower: "old_fan" });
      },
    });
    await control("follows", { target: "hub", follower: "new_fan" });
    await clock.advance(3 * MINUTE);
    const { watches } = await backtest(config(), { sinceMs: clock.now() - 10 * MINUTE });
    expect(watches[0]?.after).toEqual({
      ...{ read: 1, alerted: 1 },
      reasons: [{ reason: "it was there when the watch began", count: 1 }],
    });
  });

  it("prints the same for two runs", async () => {
    const { clock, post, config, backtest } = await setUp();
    for (let i = 0; i < 5; i += 1) await post(`zebra ${i}`);
    await clock.advance(MINUTE);
    const [one, two] = [await backtest(config()), await backtest(config())];
    expect(JSON.stringify(two)).toBe(JSON.stringify(one));
  });
});

describe("a backtest with a thread", () => {
  it("ends both replays with what failed first", async () => {
    const { post, clock, config, backtest } = await setUp();
    await post("one zebra");
    await clock.advance(MINUTE);
    const shares: number[] = [];
    const failing = backtest(
      config(),
      {},
      {
        onProgress: (share) => shares.push(share),
        replayActive: async () => Promise.reject(new Error("the thread failed")),
      },
    );
    await expect(failing).rejects.toThrow("the thread failed");
    expect(shares).toEqual([]);
    let hasEnded = false;
    const broken = backtest(
      config(),
      {},
      {
        onProgress: () => {
          throw new Error("the terminal failed");
        },
        replayActive: (_facts, { signal }) =>
          new Promise((_, reject) => {
            signal?.addEventListener("abort", () => {
              hasEnded = true;
              reject(new Error("ended"));
            });
          }),
      },
    );
    await expect(broken).rejects.toThrow("the terminal failed");
    expect(hasEnded).toBe(true);
  });

  it("shows the progress of the slower replay", async () => {
    const { post, clock, config, backtest } = await setUp();
    await post("one zebra");
    await clock.advance(MINUTE);
    const shares: number[] = [];
    const nothing = { records: [], messages: [], counts: new Map() };
    await backtest(
      config(),
      {},
      {
        onProgress: (share) => shares.push(share),
        replayActive: async (_facts, watch) => {
          watch.onProgress(0.25);
          return { result: nothing, unanswered: [], sent: [] };
        },
      },
    );
    expect(shares).toEqual([0, 0.25]);
  });
});

it("sends a scheduled digest at each of its times, though nothing is read", async () => {
  const digest = { schedule: "@every 20m", when_empty: "say" };
  const { clock, post, hook, config, backtest } = await setUp({
    watches: () => ({ all: rare }),
    sink: { digest },
  });
  await post("one zebra");
  await clock.advance(2 * MINUTE);
  const sent = hook.messages().length;
  await clock.advance(80 * MINUTE);
  expect(hook.messages().length - sent).toBe(4);
  const view = await backtest(config());
  expect(view.sinks.find(({ sink }) => sink === "hook")?.after).toEqual({
    alerts: 1,
    messages: hook.messages().length,
  });
});

describe("what people did then", () => {
  const eventOf = async (call: InnerDaemon["call"], tweet: string | undefined) =>
    String((await call(`explain/${tweet}`)).verdicts[0].event.id);

  it("is replayed at its time: snoozes, silenced authors and pauses", async () => {
    const one = { all: rare };
    const { clock, post, call, config, backtest } = await setUp({ watches: () => one });
    const first = await post("a zebra asks");
    await clock.advance(2 * MINUTE);
    const snoozed = await eventOf(call, first);
    expect(await call(`alerts/${snoozed}/snooze?for=10m&by=Ada`, "POST")).toMatchObject({
      changed: 1,
    });
    await post("another zebra asks");
    await clock.advance(2 * MINUTE);
    await call("watches/all/pause", "POST");
    await post("a zebra meanwhile");
    await clock.advance(20 * MINUTE);
    await call("watches/all/resume", "POST");
    await clock.advance(2 * MINUTE);
    await call(`alerts/${snoozed}/author-silence?for=10m&by=Ada`, "POST");
    await post("a loud zebra");
    await post("a calm zebra", "calm_one");
    await clock.advance(20 * MINUTE);
    await post("a zebra afterwards");
    await clock.advance(2 * MINUTE);
    const view = await backtest(config());
    expect(view.sent).toEqual([]);
    expect(view.watches).toMatchObject([{ after: { read: 6, alerted: 6 } }]);
    expect(view.sinks.find(({ sink }) => sink === "hook")?.after).toMatchObject({ alerts: 5 });
  });

  it("is replayed at its time: an acknowledgement ends an escalation", async () => {
    const steps = [{ after: "15m", sink: "ops" }];
    const { clock, post, call, config, backtest, ops } = await setUp({
      watches: () => ({ all: rare }),
      sink: { escalate: steps },
    });
    const [one] = [await post("one zebra")];
    await clock.advance(2 * MINUTE);
    await post("two zebra");
    await clock.advance(2 * MINUTE);
    await call(`alerts/${await eventOf(call, one)}/acknowledgement?by=Ada`, "POST");
    await clock.advance(30 * MINUTE);
    expect(ops.events().filter(({ type }) => type === "alert.escalated")).toHaveLength(1);
    const view = await backtest(config());
    expect(view.sinks).toMatchObject([
      { sink: "hook", after: { alerts: 2 } },
      { sink: "ops", after: { alerts: 1 } },
    ]);
    expect(view.sent).toEqual([]);
  });
});

it("repeats that an acknowledgement was undone: the alert escalates after all", async () => {
  const { clock, post, call, config, backtest, ops } = await setUp({
    watches: () => ({ all: rare }),
    sink: { escalate: [{ after: "15m", sink: "ops" }] },
  });
  const one = await post("one zebra");
  await clock.advance(2 * MINUTE);
  const { event } = (await call(`explain/${one}`)).verdicts[0];
  const mark = (method: "POST" | "DELETE") =>
    call(`alerts/${event.id}/acknowledgement?by=Ada`, method);
  for (const method of ["POST", "DELETE", "POST", "DELETE"] as const) await mark(method);
  await clock.advance(30 * MINUTE);
  expect(ops.events().filter(({ type }) => type === "alert.escalated")).toHaveLength(1);
  expect((await backtest(config())).sinks).toMatchObject([
    { sink: "hook", after: { alerts: 1 } },
    { sink: "ops", after: { alerts: 1 } },
  ]);
});

describe("where it differs from what was sent", () => {
  it("names the failure of the sink with its times", async () => {
    const { clock, post, hook, config, backtest } = await setUp({
      watches: () => ({ all: rare }),
      sink: { retry_for: "5m" },
    });
    hook.answer((_, response) => void response.writeHead(503).end());
    await post("one zebra");
    await clock.advance(20 * MINUTE);
    const [difference, ...others] = (await backtest(config())).sent;
    expect(others).toEqual([]);
    expect(difference).toMatchObject({
      ...{ watch: "all", sink: "hook", replayed: "sent", sent: "dead", is_explained: true },
      cause: expect.stringMatching(/^hook failed from 2026-03-06T13:3\d:.* to .*503/),
    });
  });

  it("names the configuration that was active before a reload", async () => {
    let where = "tweet.likes_count > 5";
    const { clock, post, reload, config, backtest } = await setUp({
      watches: () => ({ all: { ...search, where } }),
    });
    await post("one zebra");
    await clock.advance(MINUTE);
    where = "true";
    await reload();
    await post("two zebra");
    await clock.advance(MINUTE);
    expect((await backtest(config())).sent).toMatchObject([
      { replayed: "sent", sent: null, cause: expect.stringContaining("another configuration") },
    ]);
  });
});

it("gives alerts the stored answers of their enrichment, and says how many have none", async () => {
  const endpoint = await startLoopbackServer(json({ labels: { mood: "bad" } }));
  onTestFinished(() => endpoint.close());
  const enrich = {
    ...{ url: `${endpoint.url}/`, allow_private: true, labels: ["mood"] },
  };
  const { clock, post, config, backtest } = await setUp({
    watches: () => ({ all: { ...search, enrich } }),
    more: {
      route: { sink: "ops", routes: [{ matchers: ['mood="bad"'], sink: "hook" }] },
    },
  });
  await post("one zebra");
  await clock.advance(2 * MINUTE);
  const view = await backtest(config());
  expect(view.sent).toEqual([]);
  expect(view.sinks.find(({ sink }) => sink === "hook")?.after).toMatchObject({ alerts: 1 });
  expect(view.limits.join()).not.toContain("have none");
});

/** An alert waits so long for its answer. */
const waiting = { on_error: "hold", max_hold: "20m" };

it("routes an alert when its answer came: a silence that began before is active", async () => {
  const endpoint = await startLoopbackServer((_, response) => void response.writeHead(503).end());
  onTestFinished(() => endpoint.close());
  const enrich = { url: `${endpoint.url}/`, allow_private: true, labels: ["mood"], ...waiting };
  const { clock, post, call, hook, config, backtest } = await setUp({
    watches: () => ({ all: { ...rare, enrich } }),
    // What a mute holds is sent when it ends, long after the silence.
    sink: { mute_time_intervals: ["day"], on_mute: "hold" },
    more: { time_intervals: { day: [{ times: [{ start: "13:00", end: "15:00" }] }] } },
  });
  await post("one zebra");
  await clock.advance(3 * MINUTE);
  const matchers = ["watch=~.+"];
  await call("silences", "POST", { matchers, duration: "10m", comment: "x", author: "Ada" });
  endpoint.answer(json({ labels: { mood: "bad" } }));
  await clock.advance(3 * HOUR);
  expect(hook.events()).toEqual([]);
  const view = await backtest(config());
  expect(view.sinks.find(({ sink }) => sink === "hook")?.after?.alerts).toBe(0);
  expect(view.sent).toEqual([]);
});

it("routes at the end of the period what had no answer until then", async () => {
  const endpoint = await startLoopbackServer((_, response) => void response.writeHead(503).end());
  onTestFinished(() => endpoint.close());
  const enrich = { url: `${endpoint.url}/`, allow_private: true, labels: ["mood"], ...waiting };
  const { clock, post, config, backtest } = await setUp({
    watches: () => ({ all: { ...rare, enrich } }),
  });
  await post("one zebra");
  await clock.advance(3 * MINUTE);
  const untilMs = clock.now();
  endpoint.answer(json({ labels: { mood: "bad" } }));
  await clock.advance(HOUR);
  const view = await backtest(config(), { untilMs });
  expect(view.sinks.find(({ sink }) => sink === "hook")?.after?.alerts).toBe(1);
  expect(view.sent).toEqual([]);
});
