/** What was read of a watch's past becomes alerts, once, beside a daemon that goes on polling. */
import { describe, expect, it, onTestFinished } from "vitest";
import { timeOfTweetId, tweetIdAt } from "../../../src/model/id.ts";
import { fingerprintOf } from "../../../src/model/source.ts";
import type { Tweet } from "../../../src/model/tweet.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import type { OpenedStore } from "../../../src/state/open.ts";
import {
  type InnerDaemon,
  type InnerDaemonOptions,
  startInnerDaemon,
} from "../../support/inner-daemon.ts";
import { startLoopbackServer } from "../../support/loopback-server.ts";
import { makeTweet } from "../../support/make-event.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

interface Fixture {
  readonly daemon: InnerDaemon;
  /** Tweets of so many hours ago, as if they were read. */
  read(
    ...tweets: readonly { readonly agoMs: number; readonly text?: string; readonly id?: string }[]
  ): Promise<readonly string[]>;
  backfill(hours: number): Promise<Record<string, number>>;
}

async function setUp(
  options: Partial<InnerDaemonOptions> = {},
  watch: object = {},
): Promise<Fixture> {
  let store: OpenedStore | undefined;
  const daemon = await startInnerDaemon({
    watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 10s", ...watch } }),
    prepare: async (ask) => {
      await ask("accounts", { username: "loud_one" });
      await ask("tweets", { username: "loud_one", text: "a first zebra" });
    },
    storeFilter: (opened) => (store = opened),
    ...options,
  });
  await daemon.clock.advance(30 * SECOND);
  const source = { endpoint: "search-tweets", params: { query: "zebra", order: "latest" } };
  return {
    daemon,
    async read(...wanted) {
      const nowMs = daemon.clock.now();
      const tweets = wanted.map(
        ({ agoMs, text = "an old zebra", id = tweetIdAt(nowMs - agoMs) }): Tweet => {
          const created = new Date(nowMs - agoMs).toISOString();
          return { ...makeTweet(id, text), created_at: created };
        },
      );
      await store?.saveBackfillPage({
        fingerprint: fingerprintOf(sha256, source),
        read: { reachedMs: 0, hasEnded: true },
        tweets,
        atMs: nowMs,
        isFirst: true,
      });
      return tweets.map(({ id }) => id);
    },
    async backfill(hours) {
      const since = new Date(daemon.clock.now() - hours * HOUR).toISOString();
      const view = await daemon.call(`backfill?watch=w&since=${since}&by=alice`, "POST");
      await daemon.clock.advance(5 * SECOND);
      return view;
    },
  };
}

const verdictOf = async (daemon: InnerDaemon, id: string | undefined) =>
  (await daemon.call(`explain/${id}`)).verdicts[0]?.verdict;

describe("a backfill", () => {
  it("sends what came before the watch began, oldest first and once, however often it is asked for", async () => {
    const { daemon, read, backfill } = await setUp();
    const ids = await read({ agoMs: 2 * HOUR }, { agoMs: 5 * HOUR }, { agoMs: 30 * HOUR });
    expect(await backfill(12)).toEqual({
      alerts: 2,
      effect: "within a minute",
      filtered: 0,
      known: 0,
      left: 0,
    });
    expect(daemon.hook.subjects()).toEqual([ids[1], ids[0]]);
    expect(await backfill(12)).toEqual({
      alerts: 0,
      effect: "within a minute",
      filtered: 0,
      known: 2,
      left: 0,
    });
    expect(await backfill(48)).toMatchObject({ alerts: 1, known: 2 });
    expect(daemon.hook.subjects()).toEqual([ids[1], ids[0], ids[2]]);
    expect(await verdictOf(daemon, ids[0])).toBe("event");
  });

  it("makes alerts of what was baseline", async () => {
    let first = "";
    const { daemon, read, backfill } = await setUp({
      prepare: async (ask) => {
        await ask("accounts", { username: "loud_one" });
        [first] = (await ask("tweets", { username: "loud_one", text: "a first zebra" })).ids;
      },
    });
    expect(await verdictOf(daemon, first)).toBe("baseline");
    await read({ agoMs: daemon.clock.now() - timeOfTweetId(first), id: first });
    expect(await backfill(12)).toEqual({
      alerts: 1,
      effect: "within a minute",
      filtered: 0,
      known: 0,
      left: 0,
    });
    expect(await verdictOf(daemon, first)).toBe("event");
    expect(daemon.hook.subjects()).toEqual([first]);
  });

  it("leaves what the watch filters", async () => {
    const { daemon, read, backfill } = await setUp(
      {},
      { where: '!tweet.full_text.contains("boring")' },
    );
    const [fine, boring] = await read({ agoMs: HOUR }, { agoMs: 2 * HOUR, text: "a boring zebra" });
    expect(await backfill(12)).toEqual({
      alerts: 1,
      effect: "within a minute",
      filtered: 1,
      known: 0,
      left: 0,
    });
    expect(daemon.hook.subjects()).toEqual([fine]);
    expect(await verdictOf(daemon, boring)).toBe("filtered");
  });

  it("leaves to the next poll what is newer than what the watch has read", async () => {
    const { read, backfill, daemon } = await setUp();
    await read({ agoMs: -5 * SECOND });
    expect(await backfill(12)).toEqual({
      alerts: 0,
      effect: "within a minute",
      filtered: 0,
      known: 0,
      left: 1,
    });
    expect(daemon.hook.subjects()).toEqual([]);
  });

  it("goes to a chat as one digest that says what it is of", async () => {
    const { daemon, read, backfill } = await setUp({ chat: true });
    await read(...[1, 2, 3, 4, 5].map((hours) => ({ agoMs: hours * HOUR })));
    await backfill(12);
    await daemon.clock.advance(120 * SECOND);
    expect(daemon.chat()).toHaveLength(1);
    expect(daemon.chat()[0]).toContain("5 posts; found by a backfill");
  });

  it("asks for the enrichment of what it found, and its digest says what it is of all the same", async () => {
    const endpoint = await startLoopbackServer((_, response) =>
      response.end('{"fields":{"note":"n"}}'),
    );
    onTestFinished(() => endpoint.close());
    const enrich = { url: `${endpoint.url}/`, allow_private: true };
    const { daemon, read, backfill } = await setUp({ chat: true }, { enrich });
    await read(
      ...[1, 2, 3].map((hours) => ({ agoMs: hours * HOUR, text: `an old zebra ${hours}` })),
    );
    expect(await backfill(12)).toMatchObject({ alerts: 3 });
    await daemon.clock.advance(120 * SECOND);
    expect(daemon.chat()).toHaveLength(1);
    expect(daemon.chat()[0]).toContain("3 posts; found by a backfill");
    expect(daemon.hook.events().map((event: any) => event.labels.enrich)).toEqual([
      "ok",
      "ok",
      "ok",
    ]);
  });

  it("sends single alerts to a chat where on_return says deliver", async () => {
    const { daemon, read, backfill } = await setUp({ chat: true }, { on_return: "deliver" });
    await read({ agoMs: HOUR }, { agoMs: 2 * HOUR });
    await backfill(12);
    await daemon.clock.advance(120 * SECOND);
    expect(daemon.chat()).toHaveLength(2);
  });

  it("sends what on_return: skip has dropped, as one digest to a chat", async () => {
    const { daemon, read, backfill } = await setUp({ chat: true }, { on_return: "skip" });
    await daemon.call("watches/w/pause", "POST");
    await daemon.clock.advance(10 * SECOND);
    const posted = { username: "loud_one", text: "a zebra of the pause", count: 2 };
    const { ids } = await daemon.control("tweets", posted);
    await daemon.clock.advance(60 * SECOND);
    await daemon.call("watches/w/resume", "POST");
    await daemon.clock.advance(5 * SECOND);
    await daemon.control("tweets", { username: "loud_one", text: "a zebra of today" });
    await daemon.clock.advance(30 * SECOND);
    expect(daemon.hook.subjects()).not.toContain(ids[0]);
    const today = [daemon.hook.subjects().length, daemon.chat().length];
    expect(today).toEqual([1, 1]);
    await read(...ids.map((id: string) => ({ agoMs: daemon.clock.now() - timeOfTweetId(id), id })));
    expect(await backfill(12)).toMatchObject({ alerts: 2, known: 0 });
    await daemon.clock.advance(120 * SECOND);
    expect(daemon.hook.subjects().slice(1)).toEqual(ids);
    expect(
      daemon
        .chat()
        .slice(1)
        .map((text) => text.split("\n")[0]),
    ).toEqual([expect.stringContaining("2 posts; found by a backfill")]);
    expect(await backfill(12)).toMatchObject({ alerts: 0, known: 2 });
  });

  it("is held back by a silence like any alert, and is in the audit", async () => {
    const { daemon, read, backfill } = await setUp();
    await daemon.call("silences", "POST", {
      matchers: ["watch=w"],
      duration: "1h",
      comment: "quiet",
      author: "bob",
    });
    const [id] = await read({ agoMs: HOUR });
    await backfill(12);
    expect(daemon.hook.subjects()).toEqual([]);
    expect(await verdictOf(daemon, id)).toBe("silenced");
    const { replays } = await daemon.call("replays");
    expect(replays).toMatchObject([
      { action: "backfill", detail: { watch: "w", by: "alice", alerts: 1 } },
    ]);
  });

  it("says what is wrong with what it is asked for", async () => {
    const { daemon } = await setUp();
    expect(await daemon.call("backfill?watch=nobody&since=7d", "POST")).toMatchObject({
      error: { code: "WATCH_UNKNOWN" },
    });
    expect(await daemon.call("backfill?watch=w&since=once", "POST")).toMatchObject({
      error: { code: "SERVER_BAD_QUERY" },
    });
  });
});
