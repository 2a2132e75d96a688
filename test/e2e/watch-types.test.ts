/** Every watch type against a server that only shares the document with us: a silent baseline, then each new item exactly one event. */
import { describe, expect, it } from "vitest";
import type { DaemonProcess } from "../support/daemon-process.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, morePolls, noted, createFixture, sorted, type Fixture } from "./fixture.ts";

cleanUpAfterwards();

const start = (fixture: Fixture, watch: object): Promise<DaemonProcess> => {
  fixture.configure({ watches: { w: watch } });
  return fixture.start();
};

async function expectSilence(fixture: Fixture, daemon: DaemonProcess, endpoint: string): Promise<void> {
  await noted(daemon, "w");
  await morePolls(fixture.api, endpoint);
  expect(fixture.hook.subjects()).toEqual([]);
}

const feeds = [
  { type: "search", settings: { query: "acme corp" }, feed: () => "search:acme corp", endpoint: "search-tweets" },
  { type: "timeline", settings: { accounts: ["Alice"] }, feed: (id: string) => `user:${id}`, endpoint: "user-tweets" },
  {
    type: "community_tweets",
    settings: { community: "1493446837214187523" },
    feed: () => "community:1493446837214187523",
    endpoint: "community-tweets",
  },
];

describe.concurrent("watch types over HTTP", () => {
  it.each(feeds)("$type: a silent baseline, then every new tweet once, signed", async ({ type, settings, feed, endpoint }) => {
    const fixture = await createFixture();
    const alice = fixture.api.account("alice");
    fixture.api.post(feed(alice), 1, { pinned: true, text: "pinned" });
    fixture.api.post(feed(alice), 30);
    const daemon = await start(fixture, { type, ...settings });
    await expectSilence(fixture, daemon, endpoint);
    const fresh = [...fixture.api.post(feed(alice), 1), ...fixture.api.post(feed(alice), 24)];
    await until("25 alerts", () => fixture.hook.subjects().length >= fresh.length);
    await morePolls(fixture.api, endpoint);
    expect(sorted(fixture.hook.subjects())).toEqual(sorted(fresh));
    expect(fixture.hook.messages().every(({ isSigned }) => isSigned)).toBe(true);
    const [event] = fixture.hook.events();
    expect(event).toMatchObject({ type: "tweet.created", watch: "w", labels: { type, author: "alice", kind: "post" } });
    expect(event?.data.tweet.created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(event?.data.tweet.entities).toEqual([]);
  });

  it.each([true, false])("new_followers: the present ones are noted, each new one reported once (indexed: %s)", async (isIndexed) => {
    const fixture = await createFixture();
    const acme = fixture.api.account("acme");
    if (isIndexed) fixture.api.score(acme, { week_delta: 0, month_delta: 0 });
    fixture.api.follow(acme, 120);
    const daemon = await start(fixture, { type: "new_followers", accounts: ["acme"] });
    await expectSilence(fixture, daemon, isIndexed ? "new-followers-7d" : "followers");
    const fresh = fixture.api.follow(acme, 3);
    await until("3 alerts", () => fixture.hook.subjects().length >= 3);
    expect(sorted(fixture.hook.subjects())).toEqual(sorted(fresh));
    expect(fixture.hook.events()[0]).toMatchObject({ type: "follower.added", data: { target: { username: "acme", id: acme } } });
  });

  it("score_delta: fires on crossing and only then; an account that is not indexed is a status, not an error", async () => {
    const fixture = await createFixture();
    const acme = fixture.api.account("acme");
    fixture.api.account("unknown1");
    fixture.api.score(acme, { week_delta: 3, month_delta: 0 });
    const daemon = await start(fixture, { type: "score_delta", accounts: ["acme", "unknown1"], when: { week_delta: ">= 25" } });
    await expectSilence(fixture, daemon, "score-changes");
    fixture.api.score(acme, { week_delta: 31, month_delta: 0 });
    await until("an alert", () => fixture.hook.events().length > 0);
    await morePolls(fixture.api, "score-changes");
    expect(fixture.hook.events()).toHaveLength(1);
    expect(fixture.hook.events()[0]).toMatchObject({
      type: "score.changed",
      data: { user: { username: "acme" }, score: { week_delta: 31 }, previous: { week_delta: 3 }, crossed: ["week_delta"] },
    });
    const { watches } = await daemon.status();
    expect(watches[0]?.targets).toMatchObject([
      { name: "acme", status: "ok" },
      { name: "unknown1", status: "not_indexed" },
    ]);
    const asks = fixture.api.asked.filter(({ endpoint, status }) => endpoint === "score-changes" && status === 404);
    expect(asks).toHaveLength(1);
    expect(daemon.log().filter(({ level }) => level === "error")).toEqual([]);
  });

  it("timeline: follows an account by its id through a rename", async () => {
    const fixture = await createFixture();
    const alice = fixture.api.account("alice");
    fixture.api.post(`user:${alice}`, 5);
    const daemon = await start(fixture, { type: "timeline", accounts: ["https://x.com/alice"] });
    await expectSilence(fixture, daemon, "user-tweets");
    fixture.api.rename(alice, "alice_new");
    const fresh = fixture.api.post(`user:${alice}`, 2);
    await until("2 alerts", () => fixture.hook.subjects().length >= 2);
    expect(sorted(fixture.hook.subjects())).toEqual(sorted(fresh));
    expect(fixture.hook.events()[0]?.labels).toMatchObject({ target: "https://x.com/alice", author: "alice_new" });
  });
});
