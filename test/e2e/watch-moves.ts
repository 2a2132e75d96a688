/**
 * For each watch type, its settings in the sandbox's world and an order to the control API that
 * causes exactly the named events. every-watch-type.test.ts plays them. Accounts called m_… are
 * created here, and nothing else in the world touches them.
 */
import type { SandboxProcess } from "../support/sandbox-process.ts";

export interface Move {
  readonly settings: { readonly type: string; readonly [key: string]: unknown };
  /** The types of the events that the order must cause, each once. */
  readonly eventTypes: readonly string[];
  readonly move: () => Promise<unknown>;
}

const WORD = "quagga";
const onlyMine = { where: `tweet.full_text.contains("${WORD}")` };
const onlyJoiner = { where: 'user.username == "m_joiner"' };
const FAR_OFF = "2100-01-01T00:00:00Z";
const WORLDWIDE = 1;

/** Prepares the world for all watches. The moves are made later, in the order given. */
export async function prepareMoves(
  sandbox: Pick<SandboxProcess, "control">,
): Promise<Readonly<Record<string, Move>>> {
  const orders = ordersOf(sandbox);
  const { community_ids: communities, article_ids: articles } = await sandbox.control("sample");
  return {
    ...(await tweetMoves(orders, communities[0])),
    ...(await groupMoves(orders)),
    ...(await rosterMoves(orders, communities[1])),
    ...(await valueMoves(orders, [communities[2], communities[0]], articles[0])),
    ...(await scoreMoves(orders)),
  };
}

type Orders = ReturnType<typeof ordersOf>;

function ordersOf({ control }: Pick<SandboxProcess, "control">) {
  return {
    control,
    post: async (username: string, order: object = {}): Promise<string> =>
      (await control("tweets", { username, text: WORD, ...order })).ids[0],
    make: async (...usernames: string[]): Promise<void> => {
      for (const username of usernames) await control("accounts", { username, indexed: true });
    },
    follow: (follower: string, target: string) => control("follows", { follower, target }),
    unfollow: (follower: string, target: string) =>
      control("follows", { follower, target }, "DELETE"),
    list: async (...members: string[]): Promise<string> => (await control("lists", { members })).id,
  };
}

async function tweetMoves(
  { make, post, list }: Orders,
  community: string,
): Promise<Record<string, Move>> {
  await make("m_poster", "m_retweeter", "m_listed");
  const origin = await post("m_origin");
  const alerted = ["tweet.created"];
  return {
    search: {
      settings: { type: "search", query: `${WORD} from:m_searched` },
      eventTypes: alerted,
      move: () => post("m_searched"),
    },
    timeline: {
      settings: { type: "timeline", accounts: ["m_poster"] },
      eventTypes: alerted,
      move: () => post("m_poster"),
    },
    community_tweets: {
      settings: { type: "community_tweets", community, ...onlyMine },
      eventTypes: alerted,
      move: () => post("m_neighbour", { community_id: community }),
    },
    community_search: {
      settings: { type: "community_search", community, query: "okapi" },
      eventTypes: alerted,
      move: () => post("m_neighbour", { community_id: community, text: "an okapi" }),
    },
    list_tweets: {
      settings: { type: "list_tweets", list: await list("m_listed") },
      eventTypes: alerted,
      move: () => post("m_listed"),
    },
    mentions: {
      settings: { type: "mentions", accounts: ["m_poster"] },
      eventTypes: alerted,
      move: () => post("bob", { text: "hear, @m_poster" }),
    },
    replies: {
      settings: { type: "replies", tweet: origin },
      eventTypes: alerted,
      move: () => post("bob", { reply_to: origin }),
    },
    quotes: {
      settings: { type: "quotes", tweet: origin },
      eventTypes: alerted,
      move: () => post("bob", { quote_of: origin }),
    },
    retweets: {
      settings: { type: "retweets", accounts: ["m_retweeter"] },
      eventTypes: alerted,
      move: () => post("m_retweeter", { retweet_of: origin }),
    },
    retweeters: {
      settings: { type: "retweeters", tweet: origin, where: 'user.username == "m_reposter"' },
      eventTypes: ["retweeter.added"],
      move: () => post("m_reposter", { retweet_of: origin }),
    },
  };
}

/** Moves for the other ways to read accounts. */
async function groupMoves({ make, post, list }: Orders): Promise<Record<string, Move>> {
  await make("m_listed1", "m_listed2", "m_unlisted", "m_fresh1", "m_fresh2", "m_fresh3");
  const alerted = ["tweet.created"];
  return {
    via_list: {
      settings: {
        type: "timeline",
        accounts: ["m_listed1", "m_listed2", "m_unlisted"],
        via_list: await list("m_listed1", "m_listed2"),
      },
      eventTypes: [...alerted, ...alerted],
      move: () => Promise.all([post("m_listed1"), post("m_unlisted")]),
    },
    fresh: {
      settings: { type: "timeline", accounts: ["m_fresh1", "m_fresh2"], freshness: "5s" },
      eventTypes: alerted,
      move: () => post("m_fresh1"),
    },
    fresh_search: {
      settings: { type: "search", query: `${WORD} from:m_fresh3`, freshness: "5s" },
      eventTypes: alerted,
      move: () => post("m_fresh3"),
    },
  };
}

async function rosterMoves(
  { control, make, follow, unfollow, list }: Orders,
  community: string,
): Promise<Record<string, Move>> {
  await make("m_followed", "m_fan", "m_joiner");
  for (const follower of ["alice", "m_listed"]) await follow(follower, "m_followed");
  for (const followed of ["rival", "m_listed"]) await follow("m_fan", followed);
  const membersList = await list("m_listed", "m_poster");
  const { id: followedList } = await control("lists", { followers: ["m_listed"] });
  const join = (group: string, method = "POST") =>
    control("members", { group, username: "m_joiner" }, method);
  const accounts = ["m_followed"];
  const fan = { accounts: ["m_fan"] };
  const onlyBob = { where: 'user.username.startsWith("bob")' };
  // One account joins and two leave. A counter that did not change would cause no read before the
  // full poll.
  const comesAndGoes = () =>
    Promise.all([
      follow("bob", "m_followed"),
      ...["alice", "m_listed"].map((follower) => unfollow(follower, "m_followed")),
    ]);
  const followsAndLeaves = () =>
    Promise.all([
      follow("m_fan", "bob"),
      ...["rival", "m_listed"].map((followed) => unfollow("m_fan", followed)),
    ]);
  const nothingMore = () => Promise.resolve();
  return {
    followers: {
      settings: { type: "followers", accounts },
      eventTypes: ["follower.added", "follower.removed", "follower.removed"],
      move: comesAndGoes,
    },
    verified_followers: {
      settings: { type: "verified_followers", accounts },
      eventTypes: ["follower.added", "follower.removed"],
      move: nothingMore,
    },
    new_followers: {
      settings: { type: "new_followers", accounts },
      eventTypes: ["follower.added"],
      move: nothingMore,
    },
    top_followers: {
      settings: { type: "top_followers", accounts, ...onlyBob },
      eventTypes: ["top_follower.entered"],
      move: nothingMore,
    },
    following: {
      settings: { type: "following", ...fan },
      eventTypes: ["following.added", "following.removed", "following.removed"],
      move: followsAndLeaves,
    },
    new_following: {
      settings: { type: "new_following", ...fan },
      eventTypes: ["following.added"],
      move: nothingMore,
    },
    top_following: {
      settings: { type: "top_following", ...fan, ...onlyBob },
      eventTypes: ["top_following.entered"],
      move: nothingMore,
    },
    membership: {
      settings: { type: "membership", check: "follow", accounts: ["bob"], account: "m_followed" },
      eventTypes: ["membership.changed"],
      move: nothingMore,
    },
    list_members: {
      settings: { type: "list_members", list: membersList },
      eventTypes: ["member.added"],
      move: () => join(membersList),
    },
    list_followers: {
      settings: { type: "list_followers", list: followedList },
      eventTypes: ["follower.added"],
      move: () => control("lists", { id: followedList, followers: ["m_listed", "m_joiner"] }),
    },
    community_members: {
      settings: { type: "community_members", community, ...onlyJoiner },
      eventTypes: ["member.added"],
      move: () => join(community),
    },
    user_search: {
      settings: { type: "user_search", query: "m_zquagga" },
      eventTypes: ["user.found"],
      move: () => make("m_zquagga2"),
    },
  };
}

async function valueMoves(
  { control, make, post }: Orders,
  [community, words]: readonly [string, string],
  article: string,
): Promise<Record<string, Move>> {
  await make("m_profile", "m_bio", "m_about", "m_country");
  const [counted, liked, doomed] = [
    await post("m_origin"),
    await post("m_origin"),
    await post("m_origin"),
  ];
  await control("articles", { tweet_id: counted, full_text: "An edition with errors." });
  const { id: space } = await control("spaces", {
    title: "Before",
    host: "acme",
    ends_at: FAR_OFF,
  });
  await control("trends", { woeid: WORLDWIDE, names: ["one", "two", "three"] });
  const join = (username: string) => control("members", { group: community, username });
  const { members } = await join("m_about");
  return {
    profile: {
      settings: { type: "profile", accounts: ["m_profile"] },
      eventTypes: ["profile.changed"],
      move: () => control("accounts", { username: "m_profile", rename_to: "m_renamed" }),
    },
    profile_words: {
      settings: { type: "profile", accounts: ["m_bio"], when: { followers_count: ">= 1000" } },
      eventTypes: ["profile.changed", "profile.threshold"],
      move: () =>
        control("accounts", {
          username: "m_bio",
          display_name: "Quagga",
          description: "Extinct.",
          verified: true,
          followers_count: 1_000,
        }),
    },
    about_country: {
      settings: { type: "about", accounts: ["m_country"] },
      eventTypes: ["about.changed"],
      move: () => control("accounts", { username: "m_country", country: "Botswana" }),
    },
    about: {
      settings: { type: "about", accounts: ["m_about"] },
      eventTypes: ["about.changed"],
      move: () => control("accounts", { username: "m_about", rename_to: "m_about_now" }),
    },
    tweet: {
      settings: {
        type: "tweet",
        tweets: [counted, liked, doomed],
        when: { reply_count: ">= 2", likes_count: ">= 500" },
      },
      eventTypes: ["tweet.deleted", "tweet.threshold", "tweet.threshold"],
      move: async () => {
        await control(`tweets/${liked}`, { likes_count: 500 }, "PATCH");
        await control(`tweets/${doomed}`, {}, "DELETE");
        await post("bob", { reply_to: counted, count: 3 });
      },
    },
    article: {
      settings: { type: "article", tweet: article, when: { reply_count: "every 3" } },
      eventTypes: ["article.changed"],
      move: () => post("bob", { reply_to: article, count: 3 }),
    },
    article_words: {
      settings: { type: "article", tweet: counted },
      eventTypes: ["article.changed"],
      move: () =>
        control("articles", { tweet_id: counted, full_text: "An edition without errors." }),
    },
    space: {
      settings: { type: "space", space },
      eventTypes: ["space.changed"],
      move: () => control("spaces", { id: space, title: "After" }),
    },
    trends: {
      settings: { type: "trends", woeid: WORLDWIDE },
      eventTypes: ["trend.entered"],
      move: () => control("trends", { woeid: WORLDWIDE, names: ["one", "two", "three", "four"] }),
    },
    community_info: {
      settings: { type: "community_info", community, when: { member_count: `>= ${members + 2}` } },
      eventTypes: ["community.changed"],
      move: () => Promise.all(["m_joiner", "m_profile", "m_poster", "m_fan", "m_listed"].map(join)),
    },
    community_words: {
      settings: { type: "community_info", community: words },
      eventTypes: ["community.changed"],
      move: () => control("communities", { id: words, name: "Day Trains" }),
    },
  };
}

async function scoreMoves({ control, make }: Orders): Promise<Record<string, Move>> {
  await make("m_scored", "m_level", "m_stats");
  await control("scores", { username: "m_scored", week_delta: 1, month_delta: 1 });
  const accounts = ["m_scored"];
  return {
    score_delta: {
      settings: { type: "score_delta", accounts, when: { week_delta: ">= 900" } },
      eventTypes: ["score.changed"],
      move: () => control("scores", { username: "m_scored", week_delta: 950 }),
    },
    score: {
      settings: { type: "score", accounts: ["m_level"], when: { score: ">= 9000" } },
      eventTypes: ["score.changed"],
      move: () => control("scores", { username: "m_level", score: 9_001 }),
    },
    followers_stats: {
      settings: {
        type: "followers_stats",
        accounts: ["m_stats"],
        when: { followers_count: ">= 3" },
      },
      eventTypes: ["stats.changed"],
      move: () => control("follows", { target: "m_stats", count: 40 }),
    },
  };
}
