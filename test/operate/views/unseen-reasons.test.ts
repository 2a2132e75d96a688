/**
 * Tests the exact text of each reason why a watch did not see an item. unseen.test.ts tests how
 * they come about in a whole daemon.
 */
import { describe, expect, it } from "vitest";
import { explainUnseen, type UnseenParts } from "../../../src/operate/views/unseen.ts";
import { reasonOfFeed, type UnseenTweet } from "../../../src/operate/views/unseen-tweet.ts";
import { type FeedMemory, EMPTY_FEED } from "../../../src/detect/feed-memory.ts";
import { tweetIdAt } from "../../../src/model/id.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { TargetState } from "../../../src/model/watch-store.ts";
import type { Poll } from "../../../src/plan/poll.ts";
import { makeWatch } from "../../support/make-watch.ts";

const MINUTE = 60_000;
const NOW_MS = Date.parse("2026-03-10T14:00:00Z");
const ago = (minutes: number): string => tweetIdAt(NOW_MS - minutes * MINUTE);

const target = (changes: Partial<TargetState> = {}): TargetState => ({
  ...{
    watchKey: "k",
    key: "t",
    name: "alice",
    userId: "7",
    username: "alice",
    revision: 0,
    status: "ok",
    statusReason: "",
    memory: {},
  },
  ...{ registeredAtMs: NOW_MS - 600 * MINUTE, baselineAtMs: NOW_MS },
  ...changes,
});

const poll = (endpoint: string, params: JsonObject = {}, detector = "feed"): Poll =>
  ({
    key: "p",
    detector,
    source: { endpoint, params },
    subscribers: [{ watchKey: "k", targetKey: "t" }],
  }) as unknown as Poll;

const TIMELINE = poll("user-tweets");

describe("a tweet that a read of a feed did not bring", () => {
  /** A feed that was read from an hour to ten minutes ago, with a gap of ten minutes. */
  const memory: FeedMemory = {
    ...EMPTY_FEED,
    stretches: [
      { high: ago(10), low: ago(30) },
      { high: ago(40), low: ago(60) },
    ],
    readAtMs: NOW_MS - 10 * MINUTE,
  };
  const reason = (
    id: string,
    changes: Partial<UnseenTweet> & { readonly read?: FeedMemory } = {},
  ): string => {
    const { read = memory, ...others } = changes;
    const source = {
      fingerprint: "p",
      memory: read as unknown as JsonObject,
      revision: 0,
      lastPollAtMs: null,
      lastOkAtMs: null,
    };
    return reasonOfFeed({
      id,
      target: target(),
      source,
      poll: TIMELINE,
      isAuthors: true,
      nowMs: NOW_MS,
      ...others,
    });
  };

  it("was not read for, or not since", () => {
    expect(reason(ago(20), { read: EMPTY_FEED })).toBe("its first read is not complete");
    const last = "it was last read at 2026-03-10T13:50:00.000Z, before the tweet was posted";
    expect(reason(ago(5))).toBe(
      `${last}, and the account's counters have shown no new tweet since`,
    );
    expect(reason(ago(5), { poll: poll("search-tweets", { query: "acme" }) })).toBe(last);
  });

  it("may be too new, or in a gap", () => {
    const read = { ...memory, stretches: [{ high: ago(0), low: ago(60) }], readAtMs: NOW_MS };
    expect(reason(ago(0.9), { read })).toBe(
      "it was read, but the service may not return such a new tweet yet",
    );
    expect(reason(ago(1.1), { read })).toMatch(/^tweets of that time were read/);
    expect(reason(ago(35))).toBe(
      "it is in a gap that is not read yet: a poll stopped early because of an error or too many pages",
    );
  });

  it("is from before the watch began, by the time from which on tweets are news to it", () => {
    const birth = ago(15);
    const began = target({ registeredAtMs: NOW_MS - 15 * MINUTE, memory: { birth } });
    expect(reason(ago(20), { target: began })).toBe(
      "the watch began at 2026-03-10T13:45:00.000Z, and tweets from before that raise no alerts: chirpwatch backfill can read them",
    );
    const since = target({ ...began, memory: { birth, since_ms: NOW_MS - 25 * MINUTE } });
    expect(reason(ago(20), { target: since })).toMatch(/^tweets of that time were read/);
  });

  it.each([
    ["a timeline", TIMELINE, true, "it is not by @alice"],
    ["a search", poll("search-tweets", { query: "acme" }), false, "it does not match acme"],
    ["a community", poll("community-tweets", {}), false, "it does not belong to alice"],
  ])("is none of %s", (_, of, isAuthors, words) => {
    const said = `tweets of that time were read, but this one was not among them: ${words}, or the service did not show it`;
    expect(reason(ago(20), { poll: of, isAuthors })).toBe(said);
  });
});

describe("a watch that could have seen it", () => {
  const explain = (
    id: string,
    isTweet: boolean,
    parts: { targets?: readonly TargetState[]; polls?: readonly Poll[]; watch?: string },
  ) => {
    const { targets, polls = [], watch = "timeline" } = parts;
    const state = {
      key: "k",
      id: "w",
      type: watch,
      registeredAtMs: 0,
      paused: false,
      accounts: {},
      knownItems: 0,
    };
    const store: UnseenParts["store"] = {
      listWatches: async () => (targets === undefined ? [] : [{ ...state, targets }]),
      loadSources: async () => [],
    };
    const config = {
      watches: [makeWatch("w", watch, { accounts: ["alice"] })],
      state: { path: "", mustExist: false, retentionMs: 90 * 1_440 * MINUTE },
    };
    return explainUnseen(
      { store, config, polls, nowMs: NOW_MS },
      { id, isTweet, author: undefined },
    );
  };
  const reasons = async (...asked: Parameters<typeof explain>) =>
    (await explain(...asked)).watches.map(({ reason }) => reason);

  it("has not run, cannot be read, or is not looked up yet", async () => {
    expect(await reasons(ago(5), true, {})).toEqual(["no daemon has run with it yet"]);
    const targets = [
      target(),
      target({ key: "u", status: "unavailable", statusReason: "suspended" }),
    ];
    expect(await reasons(ago(5), true, { targets })).toEqual([
      "the account is not looked up yet",
      "it cannot be read: suspended",
    ]);
  });

  it("has not read a list for the first time, or not with this account in it", async () => {
    const list = { polls: [poll("followers", {}, "roster")], watch: "new_followers" };
    expect(
      await reasons("9", false, { ...list, targets: [target({ baselineAtMs: null })] }),
    ).toEqual(["its first read is not complete"]);
    expect(await reasons("9", false, { ...list, targets: [target()] })).toEqual([
      "no read of its list has shown the account",
    ]);
  });

  it("is one of 500 lines at the most", async () => {
    const targets = Array.from({ length: 503 }, (_, i) => target({ key: `t${i}` }));
    const { watches, more } = await explain(ago(5), true, { targets });
    expect([watches.length, more]).toEqual([500, 3]);
  });
});
