/**
 * Tests watches of lists of accounts, against the sandbox: a silent baseline, then each join and
 * each leave reported once.
 */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { type WatchFixture, type FixtureSettings, startWatchFixture } from "./watch-fixture.ts";

type Control = WatchFixture["control"];

const follow = (control: Control, follower: string, target: string) =>
  void control("POST", "follows", { follower, target });
const unfollow = (control: Control, follower: string, target: string) =>
  void control("DELETE", "follows", { follower, target });
const make = (control: Control, ...usernames: string[]) => {
  for (const username of usernames) control("POST", "accounts", { username });
};
const suspend = (control: Control, username: string, suspended: boolean) =>
  void control("POST", "accounts", { username, suspended });

interface Case {
  readonly type: string;
  readonly settings: FixtureSettings;
  readonly come: (control: Control) => void;
  readonly go?: (control: Control) => void;
  readonly came: string;
  readonly went?: string;
  /** The handle of the account that joins or leaves. */
  readonly who: string;
  readonly target: string;
  /** The place in the event's body; the watched account if absent. */
  readonly place?: JsonObject;
  /** The sentences, with the account written as `WHO`. */
  readonly says: readonly [string, string?];
}

const LIST = "1388742069157900291";
/** The first tweet that is put into the world at the start of a test. */
const POST_ID = "2028440179309543424";
const COMMUNITY = "1493446837214187523";

/** Creates one silent account with an old follower. */
const watched: FixtureSettings = (control) => {
  make(control, "golden_one");
  follow(control, "alice", "golden_one");
  return { accounts: ["golden_one"] };
};
/** Creates one silent account that follows another one from before. */
const watcher: FixtureSettings = (control) => {
  make(control, "golden_one", "golden_two");
  follow(control, "golden_one", "golden_two");
  return { accounts: ["golden_one"] };
};

const CASES: readonly Case[] = [
  ...["followers", "verified_followers"].map(
    (type): Case => ({
      type,
      settings: watched,
      come: (control) => follow(control, "bob", "golden_one"),
      go: (control) => unfollow(control, "bob", "golden_one"),
      came: "follower.added",
      went: "follower.removed",
      who: "bob",
      target: "golden_one",
      says: ["@golden_one has a new follower: WHO", "@golden_one lost a follower: WHO"],
    }),
  ),
  {
    type: "following",
    settings: watcher,
    come: (control) => follow(control, "golden_one", "bob"),
    go: (control) => unfollow(control, "golden_one", "bob"),
    came: "following.added",
    went: "following.removed",
    who: "bob",
    target: "golden_one",
    says: ["@golden_one began following WHO", "@golden_one no longer follows WHO"],
  },
  {
    type: "list_members",
    settings: (control) => {
      suspend(control, "bob", true);
      return { list: `https://x.com/i/lists/${LIST}` };
    },
    come: (control) => suspend(control, "bob", false),
    go: (control) => suspend(control, "bob", true),
    came: "member.added",
    went: "member.removed",
    who: "bob",
    target: LIST,
    place: { public_list: { id: LIST } },
    says: [`WHO joined the list ${LIST}`, `WHO left the list ${LIST}`],
  },
  {
    type: "community_members",
    settings: (control) => {
      suspend(control, "bob", true);
      return { community: COMMUNITY };
    },
    come: (control) => suspend(control, "bob", false),
    go: (control) => suspend(control, "bob", true),
    came: "member.added",
    went: "member.removed",
    who: "bob",
    target: COMMUNITY,
    place: { community: { id: COMMUNITY } },
    says: [`WHO joined the community ${COMMUNITY}`, `WHO left the community ${COMMUNITY}`],
  },
  {
    type: "top_followers",
    settings: watched,
    come: (control) => follow(control, "bob", "golden_one"),
    go: (control) => unfollow(control, "bob", "golden_one"),
    came: "top_follower.entered",
    went: "top_follower.left",
    who: "bob",
    target: "golden_one",
    says: [
      "WHO is now among the top followers of @golden_one",
      "WHO is no longer among the top followers of @golden_one",
    ],
  },
  {
    type: "top_following",
    settings: watcher,
    come: (control) => follow(control, "golden_one", "bob"),
    go: (control) => unfollow(control, "golden_one", "bob"),
    came: "top_following.entered",
    went: "top_following.left",
    who: "bob",
    target: "golden_one",
    says: [
      "WHO is now among the top accounts that @golden_one follows",
      "WHO is no longer among the top accounts that @golden_one follows",
    ],
  },
  {
    type: "new_following",
    settings: watcher,
    come: (control) => follow(control, "golden_one", "bob"),
    came: "following.added",
    who: "bob",
    target: "golden_one",
    says: ["@golden_one began following WHO"],
  },
  {
    type: "new_followers",
    settings: watched,
    come: (control) => follow(control, "bob", "golden_one"),
    came: "follower.added",
    who: "bob",
    target: "golden_one",
    says: ["@golden_one has a new follower: WHO"],
  },
  {
    type: "new_followers",
    settings: (control) => ({
      ...(typeof watched === "function" ? watched(control) : {}),
      verified_only: true,
    }),
    come: (control) => {
      make(control, "golden_six");
      follow(control, "golden_six", "golden_one");
      follow(control, "bob", "golden_one");
    },
    came: "follower.added",
    who: "bob",
    target: "golden_one",
    says: ["@golden_one has a new follower: WHO"],
  },
  {
    type: "retweeters",
    settings: (control) => {
      make(control, "golden_one");
      const [id = ""] = control("POST", "tweets", { username: "golden_one", text: "The post." })[
        "ids"
      ] as readonly string[];
      control("POST", "tweets", { username: "alice", retweet_of: id });
      return { tweet: `https://x.com/golden_one/status/${id}` };
    },
    come: (control) => void control("POST", "tweets", { username: "bob", retweet_of: POST_ID }),
    came: "retweeter.added",
    who: "bob",
    target: POST_ID,
    place: { retweeted: { id: POST_ID } },
    says: [`WHO reposted the post ${POST_ID}`],
  },
  {
    type: "user_search",
    settings: (control) => {
      make(control, "zgolden_one");
      return { query: "zgolden" };
    },
    come: (control) => make(control, "zgolden_two"),
    came: "user.found",
    who: "zgolden_two",
    target: "zgolden",
    place: { search: { query: "zgolden" } },
    says: ['WHO matches the search "zgolden"'],
  },
];

describe.each(CASES)(
  "$type",
  ({ type, settings, come, go, came, went, who, target, place, says }) => {
    it("reports who comes and who goes, each time once", async () => {
      const fixture = await startWatchFixture(type, settings);
      const { control, minutes, alerts } = fixture;
      const expected: { type: string; title: string }[] = [];
      const move = async (
        change: ((control: Control) => void) | undefined,
        event: string | undefined,
        sentence: string | undefined,
      ) => {
        if (change === undefined || event === undefined || sentence === undefined) return;
        change(control);
        await minutes(4);
        const all = await alerts();
        const display = all.at(-1)?.event.body.user?.display_name ?? "";
        expected.push({ type: event, title: sentence.replace("WHO", `${display} (@${who})`) });
        expect(all.map(({ event: { type }, message: { title } }) => ({ type, title }))).toEqual(
          expected,
        );
      };
      expect(await alerts()).toEqual([]);
      await move(come, came, says[0]);
      await move(go, went, says[1]);
      if (go !== undefined) await move(come, came, says[0]);
      const [first] = await alerts();
      const userId = first?.event.body.user?.id ?? "";
      expect(first?.event.body.user?.username).toBe(who);
      expect(first?.event.labels).toMatchObject({
        watch: "w",
        type,
        event: came,
        target,
        author: who,
        severity: "info",
      });
      expect(first?.event.subject.endsWith(`/${userId}`)).toBe(true);
      expect(first?.message.url).toBe(`https://x.com/${who}`);
      if (place === undefined) expect(first?.event.body.target?.username).toBe(target);
      else expect(first?.event.body).toMatchObject(place);
      await minutes(6);
      expect(await alerts()).toHaveLength(expected.length);
    });
  },
);

it("list_followers reports who the days bring and take", async () => {
  const SIX_HOURS = 6 * 60;
  const fixture = await startWatchFixture(
    "list_followers",
    { list: LIST },
    { schedule: { kind: "every", intervalMs: SIX_HOURS * 60_000 } },
  );
  const { world, clock, minutes, alerts } = fixture;
  const list = world.groups.list(LIST);
  if (list === undefined) return expect.unreachable("the list is gone");
  const followersAt = (atMs: number) => {
    const keys = Array.from({ length: world.groups.followerPositions(list, atMs) }, (_, at) =>
      world.groups.followerAt(list, at, atMs),
    );
    return new Set(keys.flatMap((key) => (key === undefined ? [] : [world.people.idOf(key)])));
  };
  const before = followersAt(clock.now());
  await minutes(4 * 24 * 60);
  const after = followersAt(clock.now());
  // Leaving is reported after two complete reads without the account.
  const settled = followersAt(clock.now() - 3 * SIX_HOURS * 60_000);
  const ids = async (type: string) =>
    (await alerts())
      .filter(({ event }) => event.type === type)
      .map(({ event }) => event.body.user?.id ?? "");
  const [came, went] = [await ids("follower.added"), await ids("follower.removed")];
  expect(came.length).toBeGreaterThan(5);
  expect(came.toSorted()).toEqual([...after].filter((id) => !before.has(id)).sort());
  expect(went.length).toBeGreaterThan(0);
  expect(new Set(went).size).toBe(went.length);
  expect(went.every((id) => before.has(id) && !after.has(id))).toBe(true);
  expect([...before].filter((id) => !settled.has(id) && !went.includes(id))).toEqual([]);
  const [first] = await alerts();
  expect(first?.event).toMatchObject({
    labels: { type: "list_followers", target: LIST },
    body: { public_list: { id: LIST } },
  });
  expect(first?.message.title).toMatch(
    new RegExp(`^The list ${LIST} has a new follower: .* \\(@\\w+\\)$`),
  );
  expect(first?.message.context).toEqual({
    label: `The list ${LIST}`,
    body: "",
    url: `https://x.com/i/lists/${LIST}`,
  });
});
