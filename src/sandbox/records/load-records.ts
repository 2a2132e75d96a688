/**
 * Loads recorded resources into a world. The world then shows them as they were recorded, next to
 * its generated ones or in place of them.
 */
import { normaliseTweet } from "../../api/normalise/tweet.ts";
import { normaliseUser } from "../../api/normalise/user.ts";
import {
  isRaw,
  readCount,
  readFlag,
  readId,
  readNumber,
  readText,
  readTexts,
  readTime,
} from "../../api/read-value.ts";
import { timeOfTweetId } from "../../model/id.ts";
import type { JsonObject } from "../../model/json.ts";
import { kindOfTweet } from "../../model/tweet.ts";
import { brokenLine, RECORD_TYPES, type RecordLine, type RecordType } from "./record-lines.ts";
import type { Trend } from "../world/trends.ts";
import type { TweetRecord } from "../world/tweets/tweet-record.ts";
import type { World } from "../world/world.ts";

type Loader = (world: World, line: RecordLine, nowMs: number) => void;

const LOADERS: Readonly<Record<RecordType, Loader>> = {
  user: loadUser,
  tweet: loadTweet,
  list: loadList,
  community: loadCommunity,
  follow: loadFollow,
  space: loadSpace,
  article: loadArticle,
  trend: loadTrend,
  score: loadScore,
  about: loadAbout,
};

/**
 * Loads the records, one type after the other, so that a record is loaded after everything that it
 * refers to.
 * @throws ChirpwatchError SANDBOX_DATA, which names the line that cannot be used and says how to
 * correct it
 */
export function loadRecords(world: World, lines: readonly RecordLine[], nowMs: number): void {
  for (const type of RECORD_TYPES)
    for (const line of lines) if (line.type === type) LOADERS[type](world, line, nowMs);
}

function loadUser({ people, recordUser }: World, line: RecordLine): void {
  const { indexed, hidden_from_search, ...fields } = line.fields;
  requireId(line, "id");
  const user = normaliseUser(fields);
  if (user.username === "")
    throw brokenLine(line.place, "is a user without a username", "Add the field username.");
  const key = recordUser(user);
  if (readFlag(indexed) === true) people.setIndexed(key, true);
  const state = readFlag(hidden_from_search) === true ? people.state(key) : undefined;
  if (state !== undefined) state.hiddenFromSearch = true;
}

/**
 * Loads a tweet. `community_id` is the community in which it was posted. `in_timeline: false` means
 * that it is in no timeline and can only be found by its id, as many pinned tweets are.
 */
function loadTweet({ tweets, recordUser, people }: World, line: RecordLine): void {
  const { community_id, in_timeline, ...fields } = line.fields;
  const id = requireId(line, "id");
  const shown = normaliseTweet(fields);
  const authorId = shown.user.id || readId(fields["user_id"]);
  if (authorId === "")
    throw brokenLine(
      line.place,
      "is a tweet without an author",
      "Add the field `user`: the author, as a user object of the API.",
    );
  const known = people.keyOfId(authorId);
  if (known === undefined && shown.user.username === "") throw unknown(line, "user", authorId);
  const atMs = timeOfTweetId(id);
  const targetId =
    shown.retweeted_status?.id || shown.in_reply_to_tweet_id || shown.quoted_status?.id || "";
  const community = readId(community_id);
  const record: TweetRecord = {
    id,
    atMs,
    visibleMs: atMs,
    indexedMs: atMs,
    author: known ?? recordUser(shown.user),
    kind: kindOfTweet(shown),
    text: shown.full_text,
    lang: shown.lang,
    conversationId: shown.conversation_id_str,
    ...(targetId !== "" && { targetId }),
    ...(community !== "" && { communityId: community }),
    media: [],
    likesAtLast: shown.likes_count,
    shown,
  };
  if (readFlag(in_timeline) === false) tweets.addUnlisted(record);
  else tweets.add(record);
}

function loadList({ groups, people }: World, line: RecordLine): void {
  const keys = (name: string): readonly number[] =>
    readTexts(line.fields[name]).map((id) => keyOf(people, line, id));
  const followerKeys = keys("follower_ids");
  groups.putList({
    id: requireId(line, "id"),
    share: 0,
    members: keys("member_ids"),
    followers: followerKeys.length,
    followerKeys,
  });
}

function loadCommunity({ groups, people, recordUser, recorded }: World, line: RecordLine): void {
  const id = requireId(line, "id");
  const { fields } = line;
  const members = readTexts(fields["member_ids"]).map((memberId) => keyOf(people, line, memberId));
  const creator = normaliseUser(isRaw(fields["creator"]) ? fields["creator"] : {});
  if (creator.id === "")
    throw brokenLine(
      line.place,
      "is a community without a creator",
      "Add the field `creator`: a user object as the API returns it.",
    );
  groups.putCommunity({
    id,
    name: readText(fields["name"]),
    description: readText(fields["description"]),
    share: 0,
    createdMs: Date.parse(readTime(fields["created_at"]) || new Date(0).toISOString()),
    creator: people.keyOfId(creator.id) ?? recordUser(creator),
    members,
    recorded: {
      unnamedMembers: Math.max(0, readCount(fields["member_count"]) - members.length),
      bannerUrl: readText(fields["banner_url"]),
    },
  });
  const pin = readId(fields["pinned_tweet_id"]);
  if (pin !== "") recorded.communityPins.set(id, pin);
}

function loadFollow({ people, follows }: World, line: RecordLine, nowMs: number): void {
  const [target, follower] = [
    keyOf(people, line, requireId(line, "user_id")),
    keyOf(people, line, requireId(line, "follower_id")),
  ];
  const date = line.fields["followerDate"];
  const atMs = Date.parse(readTime(date));
  if (date !== undefined && Number.isNaN(atMs))
    throw brokenLine(
      line.place,
      `has a followerDate that is no date: ${JSON.stringify(date)}`,
      "Write it in ISO 8601, or leave it out.",
    );
  follows.add(target, follower, Number.isNaN(atMs) ? 0 : atMs, nowMs);
}

/**
 * Loads a Space. The API shows it exactly as it was recorded, so its host, end and number of
 * listeners are placeholders.
 */
function loadSpace({ spaces }: World, line: RecordLine): void {
  const id = readText(line.fields["id"]);
  if (id === "") throw brokenLine(line.place, "is a space without an id", "Add the field id.");
  const startsMs = Date.parse(readTime(line.fields["scheduled_start"])) || 0;
  spaces.put({
    id,
    title: readText(line.fields["title"]),
    host: 0,
    createdMs: startsMs,
    startsMs,
    endsMs: startsMs,
    mostListeners: 0,
    shown: line.fields as JsonObject,
  });
}

function loadArticle({ recorded, tweets }: World, line: RecordLine): void {
  const { tweet_id: _id, ...fields } = line.fields;
  const id = requireId(line, "tweet_id");
  if (tweets.find(id) === undefined) throw unknown(line, "tweet", id);
  recorded.articles.set(id, fields as JsonObject);
}

/**
 * Loads a trend of a place. The place's trends are sorted by `rank`; those without a rank come
 * last, in the order of the lines.
 */
function loadTrend({ recorded, trends }: World, line: RecordLine): void {
  const woeid = readNumber(line.fields["woeid"]);
  const name = readText(line.fields["name"]);
  if (woeid === undefined)
    throw brokenLine(line.place, "is a trend without a place", "Add the field woeid, a number.");
  if (name === "") throw brokenLine(line.place, "is a trend without a name", "Add the field name.");
  const { query, url } = trends.trendOf(name);
  const trend: Trend = {
    name,
    query: readText(line.fields["query"]) || query,
    url: readText(line.fields["url"]) || url,
  };
  const ranked = [
    ...(recorded.trends.get(woeid) ?? []),
    { rank: readNumber(line.fields["rank"]) ?? Number.POSITIVE_INFINITY, trend },
  ];
  ranked.sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank));
  recorded.trends.set(woeid, ranked);
  trends.set(
    woeid,
    ranked.map((each) => each.trend),
  );
}

/** Loads a score. An account with a score also counts as indexed. */
function loadScore({ people, scores }: World, line: RecordLine): void {
  const key = keyOf(people, line, requireId(line, "user_id"));
  const [score, week_delta, month_delta] = ["score", "week_delta", "month_delta"].map((name) =>
    readNumber(line.fields[name]),
  );
  if (score === undefined)
    throw brokenLine(line.place, "is a score without a number", "Add the field score, a number.");
  scores.record(key, { score, week_delta: week_delta ?? 0, month_delta: month_delta ?? 0 });
  people.setIndexed(key, true);
}

function loadAbout({ people, recorded }: World, line: RecordLine): void {
  const { user_id: _id, ...fields } = line.fields;
  recorded.abouts.set(keyOf(people, line, requireId(line, "user_id")), fields as JsonObject);
}

function requireId(line: RecordLine, name: string): string {
  const id = readId(line.fields[name]);
  if (id === "")
    throw brokenLine(
      line.place,
      `has no ${name} of digits`,
      `Write ${name} as a string of digits, as the API does.`,
    );
  return id;
}

function keyOf(people: World["people"], line: RecordLine, id: string): number {
  const key = /^\d{1,20}$/.test(id) ? people.keyOfId(id) : undefined;
  if (key === undefined) throw unknown(line, "user", id);
  return key;
}

const unknown = (line: RecordLine, what: string, id: string) =>
  brokenLine(
    line.place,
    `names the ${what} ${id}, of whom there is no line`,
    `Add a line of type ${what} with this id, or remove this one.`,
  );
