/**
 * Draws what changes in the world beside posts: follows, joins and leaves, and the values of
 * profiles, scores, places and posts.
 */
import {
  ARTICLE_POST,
  COUNTED_POSTS,
  FAN_COMMUNITY_ID,
  FAN_LIST_ID,
  FANS,
  postRef,
  SPACE_REF,
  TRENDS,
  VERIFIED_FANS,
  WATCHED,
  WOEID,
} from "./cast.ts";
import type { Dice } from "./dice.ts";
import type { WorldOrder } from "./scenario.ts";

const HOUR_MS = 3_600_000;

/** Draws the state of the world before the daemon starts. */
export function drawFactsBefore(dice: Dice, startMs: number): readonly WorldOrder[] {
  const atMs = -HOUR_MS;
  const follows = WATCHED.flatMap((handle) => [
    ...dice.some(FANS, 0).map((who): WorldOrder => ({ do: "follow", atMs, who, whom: handle })),
    ...dice.some(FANS, 0).map((whom): WorldOrder => ({ do: "follow", atMs, who: handle, whom })),
  ]);
  const profile = {
    display_name: "As ever",
    description: "Nothing new",
    favourites_count: 900,
    country: "Japan",
  };
  return [
    ...FANS.map(
      (handle): WorldOrder => ({
        do: "account",
        atMs,
        handle,
        change: { verified: VERIFIED_FANS.includes(handle) },
      }),
    ),
    ...follows,
    { do: "list", atMs, id: FAN_LIST_ID, members: [...dice.some(FANS, 1)] },
    { do: "community", atMs, id: FAN_COMMUNITY_ID, name: "Fans", members: [...dice.some(FANS, 1)] },
    ...WATCHED.flatMap((handle): readonly WorldOrder[] => [
      { do: "account", atMs, handle, change: profile },
      { do: "score", atMs, handle, change: { score: 900, week_delta: 0, month_delta: 0 } },
    ]),
    ...COUNTED_POSTS.map(
      (post): WorldOrder => ({
        do: "count",
        atMs,
        post,
        change: { likes_count: 5, view_count: 500 },
      }),
    ),
    listFollowers(dice, atMs),
    trends(dice, atMs),
    article(atMs, {
      full_text: "The first edition",
      preview_text: "The first",
      ...Object.fromEntries(ARTICLE_COUNTS.map((name) => [name, 5])),
    }),
    community(atMs, { name: "Fans", description: "A community." }),
    {
      ...{ do: "order", atMs, path: "spaces" },
      body: {
        title: "Evening talk",
        host: "anna0",
        ends_at: new Date(startMs + 48 * HOUR_MS).toISOString(),
        listeners: 50,
      },
      facts: {
        "space room title": "Evening talk",
        "space room state": "Running",
        "space room listeners": 50,
      },
    },
  ];
}

const factsAbout = (subject: string, values: Readonly<Record<string, string | number>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${subject} ${name}`, value]));

function listFollowers(dice: Dice, atMs: number): WorldOrder {
  const followers = [...dice.some(FANS, 1)];
  const facts = Object.fromEntries(
    FANS.map((fan) => [`follows ${FAN_LIST_ID} ${fan}`, followers.includes(fan)]),
  );
  return { do: "order", atMs, path: "lists", body: { id: FAN_LIST_ID, followers }, facts };
}

function trends(dice: Dice, atMs: number): WorldOrder {
  const names = [...dice.shuffled(TRENDS).slice(0, dice.int(3, TRENDS.length))];
  return {
    do: "order",
    atMs,
    path: "trends",
    body: { woeid: WOEID, names },
    facts: { [`trends ${WOEID}`]: names },
  };
}

const ARTICLE_COUNTS = [
  "favorite_count",
  "retweet_count",
  "reply_count",
  "quote_count",
  "bookmark_count",
  "views",
] as const;

const article = (atMs: number, change: Readonly<Record<string, string | number>>): WorldOrder => ({
  ...{ do: "order", atMs, path: "articles" },
  body: { tweet_id: postRef(ARTICLE_POST), ...change },
  facts: factsAbout(`article ${ARTICLE_POST}`, change),
});

const community = (atMs: number, change: Readonly<Record<string, string>>): WorldOrder => ({
  ...{ do: "order", atMs, path: "communities" },
  body: { id: FAN_COMMUNITY_ID, ...change },
  facts: factsAbout(`community ${FAN_COMMUNITY_ID}`, change),
});

function space({ dice, startMs }: FactScene, atMs: number): WorldOrder {
  const [title, listeners] = [
    dice.pick(["Evening talk", "Late talk", "*Night* talk & more"]),
    dice.pick([20, 50, 99, 100, 300]),
  ];
  const about = dice.pick([
    { body: { title }, facts: { "space room title": title } },
    { body: { listeners }, facts: { "space room listeners": listeners } },
    { body: { listeners }, facts: { "space room listeners": listeners } },
    {
      body: { ends_at: new Date(startMs + atMs).toISOString(), listeners: 0 },
      facts: { "space room state": "Ended", "space room listeners": 0 },
    },
  ]);
  return {
    do: "order",
    atMs,
    path: "spaces",
    body: { id: SPACE_REF, ...about.body },
    facts: about.facts,
  };
}

export interface FactScene {
  readonly dice: Dice;
  readonly busyMs: number;
  readonly startMs: number;
  /** The types of all watches of the scenario, including those that a reload adds. */
  readonly types: readonly string[];
}

type DrawFact = (scene: FactScene, atMs: number) => WorldOrder;

const followed: DrawFact = ({ dice }, atMs) => ({
  ...{
    do: dice.chance(0.5) ? "follow" : "unfollow",
    atMs,
    who: dice.pick(FANS),
    whom: dice.pick(WATCHED),
  },
});
const following: DrawFact = ({ dice }, atMs) => ({
  ...{
    do: dice.chance(0.5) ? "follow" : "unfollow",
    atMs,
    who: dice.pick(WATCHED),
    whom: dice.pick(FANS),
  },
});
const member: DrawFact = ({ dice }, atMs) => ({
  ...{
    do: "member",
    atMs,
    group: dice.pick([FAN_LIST_ID, FAN_COMMUNITY_ID]),
    handle: dice.pick(FANS),
    isIn: dice.chance(0.5),
  },
});
const score: DrawFact = ({ dice }, atMs) => ({
  ...{ do: "score", atMs, handle: dice.pick(WATCHED) },
  change: { [dice.pick(["score", "week_delta"])]: dice.pick([0, 20, 30, 900, 990, 1_000, 1_100]) },
});
const counts: DrawFact = ({ dice }, atMs) => ({
  ...{ do: "count", atMs, post: dice.pick(COUNTED_POSTS) },
  change: { [dice.pick(["likes_count", "view_count"])]: dice.pick([5, 9, 10, 12, 1_200]) },
});
const account: DrawFact = ({ dice }, atMs) => ({
  ...{ do: "account", atMs, handle: dice.pick(WATCHED) },
  change: dice.pick([
    { display_name: dice.pick(["As ever", "Renewed", "*Bold* <b>"]) },
    { description: dice.pick(["Nothing new", "R&D, now <hiring>", ""]) },
    { description: dice.pick(["Nothing new", "Hiring"]) },
    { location: dice.pick(["Kyiv", "Oslo"]) },
    { favourites_count: dice.pick([900, 990, 1_000, 1_500]) },
  ]),
});

/** The changes that watches of each type can see. */
const SEEN_BY: Readonly<Record<string, readonly DrawFact[]>> = {
  ...{
    followers: [followed],
    new_followers: [followed],
    verified_followers: [followed],
    top_followers: [followed],
  },
  ...{
    followers_stats: [followed],
    following: [following],
    new_following: [following],
    top_following: [following],
  },
  ...{ list_members: [member], community_members: [member], membership: [followed, member] },
  ...{
    profile: [account],
    user_search: [account],
    score: [score],
    score_delta: [score],
    tweet: [counts],
  },
  about: [
    ({ dice }, atMs) => ({
      do: "account",
      atMs,
      handle: dice.pick(WATCHED),
      change: { country: dice.pick(["Japan", "Bosnia & Herzegovina", "Chad"]) },
    }),
  ],
  list_followers: [({ dice }, atMs) => listFollowers(dice, atMs)],
  trends: [({ dice }, atMs) => trends(dice, atMs)],
  community_info: [
    member,
    ({ dice }, atMs) =>
      community(atMs, {
        [dice.pick(["name", "description"])]: dice.pick(["Fans", "Friends", "Fans & <friends>"]),
      }),
  ],
  article: [
    ({ dice }, atMs) =>
      article(atMs, {
        [dice.pick(["full_text", "preview_text"])]: dice.pick([
          "The first edition",
          "Profit & loss, <2nd> edition",
        ]),
      }),
    ({ dice }, atMs) => article(atMs, { [dice.pick(ARTICLE_COUNTS)]: dice.pick([5, 9, 10, 40]) }),
  ],
  space: [space],
};

/** Draws mostly changes that a watch can see. Some happen at the same time, and back and forth. */
export function drawFacts(scene: FactScene): readonly WorldOrder[] {
  const { dice, busyMs, types } = scene;
  const all = Object.values(SEEN_BY).flat();
  const watched = types.flatMap((type) => SEEN_BY[type] ?? []);
  const count = dice.pick([0, 30, 60, 120]);
  return Array.from({ length: count }, () => {
    const draw = dice.pick(watched.length > 0 && dice.chance(0.8) ? watched : all);
    return draw(scene, dice.int(1_000, busyMs - 1_000));
  });
}
