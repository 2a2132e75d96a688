/** Every watch type against a server that only shares the document with us: a silent baseline, then each new item exactly one event. */
import { describe, expect, it } from "vitest";
import type { DaemonProcess } from "../support/daemon-process.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, morePolls, noted, setStage, sorted, type Stage } from "./stage.ts";

cleanUpAfterwards();

const start = (stage: Stage, watch: object): Promise<DaemonProcess> => {
  stage.configure({ watches: { w: watch } });
  return stage.start();
};

async function expectSilence(stage: Stage, daemon: DaemonProcess, endpoint: string): Promise<void> {
  await noted(daemon, "w");
  await morePolls(stage.api, endpoint);
  expect(stage.hook.subjects()).toEqual([]);
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
    const stage = await setStage();
    const alice = stage.api.account("alice");
    stage.api.post(feed(alice), 1, { pinned: true, text: "pinned" });
    stage.api.post(feed(alice), 30);
    const daemon = await start(stage, { type, ...settings });
    await expectSilence(stage, daemon, endpoint);
    const fresh = [...stage.api.post(feed(alice), 1), ...stage.api.post(feed(alice), 24)];
    await until("25 alerts", () => stage.hook.subjects().length >= fresh.length);
    await morePolls(stage.api, endpoint);
    expect(sorted(stage.hook.subjects())).toEqual(sorted(fresh));
    expect(stage.hook.messages().every(({ isSigned }) => isSigned)).toBe(true);
    const [event] = stage.hook.events();
    expect(event).toMatchObject({ type: "tweet.created", watch: "w", labels: { type, author: "alice", kind: "post" } });
    expect(event?.data.tweet.created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(event?.data.tweet.entities).toEqual([]);
  });

  it.each([true, false])("new_followers: the present ones are noted, each new one told once (indexed: %s)", async (isIndexed) => {
    const stage = await setStage();
    const acme = stage.api.account("acme");
    if (isIndexed) stage.api.score(acme, { week_delta: 0, month_delta: 0 });
    stage.api.follow(acme, 120);
    const daemon = await start(stage, { type: "new_followers", accounts: ["acme"] });
    await expectSilence(stage, daemon, isIndexed ? "new-followers-7d" : "followers");
    const fresh = stage.api.follow(acme, 3);
    await until("3 alerts", () => stage.hook.subjects().length >= 3);
    expect(sorted(stage.hook.subjects())).toEqual(sorted(fresh));
    expect(stage.hook.events()[0]).toMatchObject({ type: "follower.added", data: { target: { username: "acme", id: acme } } });
  });

  it("score_delta: fires on crossing and only then; an account that is not indexed is a status, not an error", async () => {
    const stage = await setStage();
    const acme = stage.api.account("acme");
    stage.api.account("unknown1");
    stage.api.score(acme, { week_delta: 3, month_delta: 0 });
    const daemon = await start(stage, { type: "score_delta", accounts: ["acme", "unknown1"], when: { week_delta: ">= 25" } });
    await expectSilence(stage, daemon, "score-changes");
    stage.api.score(acme, { week_delta: 31, month_delta: 0 });
    await until("an alert", () => stage.hook.events().length > 0);
    await morePolls(stage.api, "score-changes");
    expect(stage.hook.events()).toHaveLength(1);
    expect(stage.hook.events()[0]).toMatchObject({
      type: "score.changed",
      data: { user: { username: "acme" }, score: { week_delta: 31 }, previous: { week_delta: 3 }, crossed: ["week_delta"] },
    });
    const { watches } = await daemon.status();
    expect(watches[0]?.targets).toMatchObject([
      { name: "acme", status: "ok" },
      { name: "unknown1", status: "not_indexed" },
    ]);
    const asks = stage.api.asked.filter(({ endpoint, status }) => endpoint === "score-changes" && status === 404);
    expect(asks).toHaveLength(1);
    expect(daemon.log().filter(({ level }) => level === "error")).toEqual([]);
  });

  it("timeline: follows an account by its id through a rename", async () => {
    const stage = await setStage();
    const alice = stage.api.account("alice");
    stage.api.post(`user:${alice}`, 5);
    const daemon = await start(stage, { type: "timeline", accounts: ["https://x.com/alice"] });
    await expectSilence(stage, daemon, "user-tweets");
    stage.api.rename(alice, "alice_new");
    const fresh = stage.api.post(`user:${alice}`, 2);
    await until("2 alerts", () => stage.hook.subjects().length >= 2);
    expect(sorted(stage.hook.subjects())).toEqual(sorted(fresh));
    expect(stage.hook.events()[0]?.labels).toMatchObject({ target: "https://x.com/alice", author: "alice_new" });
  });
});
