/**
 * The world at one moment as lines of NDJSON that load-records.ts reads: every resource as the API answers it. Of the crowd only those who
 * are named by something else, and of follower lists the last week and the ties between accounts; profiles keep the whole counts.
 */
import type { Json, JsonObject } from "../model/json.ts";
import type { Call } from "./call.ts";
import type { EndpointName } from "../api/endpoints/index.ts";
import { OPERATIONS } from "./endpoints/table.ts";
import { createParams } from "./params.ts";
import type { RecordType } from "./record-lines.ts";
import { createShow } from "./world/show.ts";
import type { TweetRecord } from "./world/tweet-record.ts";
import type { World } from "./world/world.ts";

const WEEK_MS = 7 * 86_400_000;
/** The youngest Spaces. */
const SPACES = 100;

/** Each with its line break. */
export function* exportWorld(world: World, nowMs: number): Generator<string> {
  const exporting = createExporting(world, nowMs);
  const parts = [exporting.accounts, exporting.groups, exporting.follows, exporting.places];
  for (const part of parts) for (const line of part()) yield `${JSON.stringify(line)}\n`;
}

const line = (type: RecordType, fields: JsonObject): JsonObject => ({ type, ...fields });

function createExporting(present: World, nowMs: number) {
  const world = { ...present, ...present.at(nowMs) };
  const { people, tweets, follows, groups, scores, spaces, trends } = world;
  const show = createShow(present, nowMs);
  const told = new Set<number>();
  const pins = new Set<string>();

  /** What the API answers now. */
  function ask(name: EndpointName, input: Readonly<Record<string, Json>>): JsonObject {
    const operation = OPERATIONS.find((each) => each.name === name);
    if (operation === undefined) throw new RangeError(`no operation ${name}`);
    const params = createParams(input, false);
    const call: Call = { endpoint: name, params, cursor: undefined, pathValue: "", world, show, nowMs, traps: false, usage };
    return operation.handle(call).body;
  }

  /** The profile, the first time somebody is named. */
  function* user(key: number): Generator<JsonObject> {
    if (told.has(key)) return;
    told.add(key);
    yield line("user", {
      ...(people.isIndexed(key) && { indexed: true }),
      ...(people.isHiddenFromSearch(key) && { hidden_from_search: true }),
      ...show.user(key),
    });
  }

  function* accounts(): Generator<JsonObject> {
    const posting = new Set([...people.keys(), ...tweets.addedAuthors()]);
    for (const key of posting) {
      if (!people.isReadable(key)) continue;
      yield* user(key);
      for (const record of tweets.scanBy([key], nowMs)) if (show.isVisible(record)) yield* tweet(record, {});
      yield* pinned(world.pinOf(key));
      if (!people.isCrowd(key)) yield* facts(key);
    }
    for (const record of tweets.asides()) yield* pinned(record);
  }

  /** Found by its id, not in timelines: told once, whoever pinned it. */
  function* pinned(record: TweetRecord | undefined): Generator<JsonObject> {
    if (record === undefined || pins.has(record.id) || tweets.find(record.id) === undefined || !show.isVisible(record)) return;
    pins.add(record.id);
    yield* tweet(record, { in_timeline: false });
  }

  function* tweet(record: TweetRecord, more: JsonObject): Generator<JsonObject> {
    yield line("tweet", { ...(record.communityId !== undefined && { community_id: record.communityId }), ...more, ...show.tweet(record) });
    const { articles, articleEdits } = world.recorded;
    const isArticle = record.isArticle === true || articles.has(record.id) || articleEdits.has(record.id);
    if (isArticle) yield line("article", { tweet_id: record.id, ...ask("article", { tweet_link: record.id }) });
  }

  function* facts(key: number): Generator<JsonObject> {
    const user_id = people.idOf(key);
    const isInvented = people.recordedUser(key) === undefined;
    if (isInvented || world.recorded.abouts.has(key)) yield line("about", { user_id, ...ask("about", { user_id }) });
    if (people.isIndexed(key) && scores.knows(key))
      yield line("score", { user_id, score: scores.score(key, nowMs), ...scores.changes(key, nowMs) });
  }

  function* ids(keys: readonly number[]): Generator<JsonObject, readonly string[]> {
    const readable = keys.filter((key) => people.isReadable(key));
    for (const key of readable) yield* user(key);
    return readable.map((key) => people.idOf(key));
  }

  function* groupLines(): Generator<JsonObject> {
    for (const list of groups.lists()) {
      const positions = Array.from({ length: groups.followerPositions(list, nowMs) }, (_, position) =>
        groups.followerAt(list, position, nowMs),
      );
      const member_ids = yield* ids(groups.membersOf(list, nowMs));
      const follower_ids = yield* ids(positions.filter((key) => key !== undefined));
      yield line("list", { id: list.id, member_ids, follower_ids });
    }
    for (const community of groups.communities()) {
      const { id } = community;
      const member_ids = yield* ids(groups.membersOf(community, nowMs));
      const pin = world.communityPin(id);
      yield* pinned(pin);
      const pinnedId = pin === undefined ? {} : { pinned_tweet_id: pin.id };
      yield line("community", { id, ...ask("community-info", { community_id: id }), member_ids, ...pinnedId });
    }
  }

  function* followLines(): Generator<JsonObject> {
    for (const key of people.keys()) {
      if (!people.isReadable(key)) continue;
      const held = [...follows.recent(key, nowMs), ...follows.followersSince(key, nowMs, nowMs - WEEK_MS)];
      const dates = new Map(held.map((follow) => [follow.key, follow.atMs]));
      for (const [follower, atMs] of [...dates].sort((a, b) => a[1] - b[1])) {
        if (!people.isReadable(follower)) continue;
        yield* user(follower);
        const followerDate = new Date(atMs).toISOString();
        yield line("follow", { user_id: people.idOf(key), follower_id: people.idOf(follower), followerDate });
      }
    }
  }

  function* places(): Generator<JsonObject> {
    for (const { id } of spaces.latest(nowMs, SPACES)) yield line("space", ask("spaces", { id }));
    for (const woeid of trends.places())
      for (const [at, trend] of (trends.at(woeid, nowMs) ?? []).entries()) yield line("trend", { woeid, rank: at + 1, ...trend });
  }

  return { accounts, groups: groupLines, follows: followLines, places };
}

const usage = (): never => {
  throw new RangeError("nobody's key is asked about");
};
