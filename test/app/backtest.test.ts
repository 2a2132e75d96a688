/** Replays what a whole daemon archived, and compares it with what that daemon sent. */
import { describe, expect, it } from "vitest";
import { type BacktestQuery, runBacktest } from "../../src/app/backtest/backtest.ts";
import type { Config } from "../../src/config/config.ts";
import type { BacktestView } from "../../src/operate/backtest/backtest-view.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import type { OpenedStore } from "../../src/state/open.ts";
import { type InnerDaemonOptions, startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

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
  const backtest = (tried: Config, query: Partial<BacktestQuery> = {}): Promise<BacktestView> => {
    if (store === undefined) throw new Error("no state was opened");
    const untilMs = daemon.clock.now();
    const asked = { sinceMs: fromMs, untilMs, watch: undefined, sink: undefined, limit: 20 };
    return runBacktest(
      daemon.config(),
      tried,
      { ...asked, ...query },
      { store, hash: sha256, onProgress: () => undefined },
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

  it("prints the same for two runs", async () => {
    const { clock, post, config, backtest } = await setUp();
    for (let i = 0; i < 5; i += 1) await post(`zebra ${i}`);
    await clock.advance(MINUTE);
    const [one, two] = [await backtest(config()), await backtest(config())];
    expect(JSON.stringify(two)).toBe(JSON.stringify(one));
  });
});
