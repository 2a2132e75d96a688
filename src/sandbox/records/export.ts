/**
 * Exports the world at one moment as lines of NDJSON, which load-records.ts can load. Every line is
 * a resource as the API would answer it. Users of the crowd, who follow others but post nothing,
 * are exported only if another line refers to them. Follows are exported only if they are from the
 * last week or between accounts of the world; profiles keep the full counts.
 */
import type { Json, JsonObject } from "../../model/json.ts";
import type { Call } from "../calls/call.ts";
import type { EndpointName } from "../../api/endpoints/index.ts";
import { OPERATIONS } from "../endpoints/table.ts";
import { createParams } from "../calls/params.ts";
import type { RecordType } from "./record-lines.ts";
import { createShow, type Show } from "../world/shown/show.ts";
import type { TweetRecord } from "../world/tweets/tweet-record.ts";
import type { World } from "../world/world.ts";

const WEEK_MS = 7 * 86_400_000;
/** The number of Spaces that are exported, the newest first. */
const SPACES = 100;

/** Yields the lines of the export, each with its line break. */
export function* exportWorld(world: World, nowMs: number): Generator<string> {
  for (const line of new Export(world, nowMs).lines()) yield `${JSON.stringify(line)}\n`;
}

const line = (type: RecordType, fields: JsonObject): JsonObject => ({ type, ...fields });

class Export {
  readonly #world: World;
  readonly #show: Show;
  readonly #nowMs: number;
  /** The keys of the users whose profile has been exported. */
  readonly #described = new Set<number>();
  /** The ids of the pinned tweets that have been exported. */
  readonly #pins = new Set<string>();

  constructor(present: World, nowMs: number) {
    this.#world = { ...present, ...present.at(nowMs) };
    this.#show = createShow(present, nowMs);
    this.#nowMs = nowMs;
  }

  *lines(): Generator<JsonObject> {
    yield* this.#accounts();
    yield* this.#groups();
    yield* this.#follows();
    yield* this.#places();
  }

  /** Yields the profile of a user, unless it was exported before. */
  *#user(key: number): Generator<JsonObject> {
    const { people } = this.#world;
    if (this.#described.has(key)) return;
    this.#described.add(key);
    yield line("user", {
      ...(people.isIndexed(key) && { indexed: true }),
      ...(people.isHiddenFromSearch(key) && { hidden_from_search: true }),
      ...this.#show.user(key),
    });
  }

  *#accounts(): Generator<JsonObject> {
    const { people, tweets } = this.#world;
    const posting = new Set([...people.keys(), ...tweets.addedAuthors()]);
    for (const key of posting) {
      if (!people.isReadable(key)) continue;
      yield* this.#user(key);
      for (const record of tweets.scanBy([key], this.#nowMs))
        if (this.#show.isVisible(record)) yield* this.#tweet(record, {});
      yield* this.#pinned(this.#world.pinOf(key));
      if (!people.isCrowd(key)) yield* this.#facts(key);
    }
    for (const record of tweets.unlisted()) yield* this.#pinned(record);
  }

  /**
   * Yields a pinned tweet that is not in a timeline and can only be found by its id. If several
   * accounts pin it, it is exported once.
   */
  *#pinned(record: TweetRecord | undefined): Generator<JsonObject> {
    const { tweets } = this.#world;
    if (
      record === undefined ||
      this.#pins.has(record.id) ||
      tweets.find(record.id) === undefined ||
      !this.#show.isVisible(record)
    )
      return;
    this.#pins.add(record.id);
    yield* this.#tweet(record, { in_timeline: false });
  }

  *#tweet(record: TweetRecord, more: JsonObject): Generator<JsonObject> {
    yield line("tweet", {
      ...(record.communityId !== undefined && { community_id: record.communityId }),
      ...more,
      ...this.#show.tweet(record),
    });
    const { articles, articleEdits } = this.#world.recorded;
    const isArticle =
      record.isArticle === true || articles.has(record.id) || articleEdits.has(record.id);
    if (isArticle)
      yield line("article", {
        tweet_id: record.id,
        ...this.#ask("article", { tweet_link: record.id }),
      });
  }

  *#facts(key: number): Generator<JsonObject> {
    const { people, recorded, scores } = this.#world;
    const user_id = people.idOf(key);
    const isInvented = people.recordedUser(key) === undefined;
    if (isInvented || recorded.abouts.has(key))
      yield line("about", { user_id, ...this.#ask("about", { user_id }) });
    if (people.isIndexed(key) && scores.knows(key))
      yield line("score", {
        user_id,
        score: scores.score(key, this.#nowMs),
        ...scores.changes(key, this.#nowMs),
      });
  }

  *#ids(keys: readonly number[]): Generator<JsonObject, readonly string[]> {
    const { people } = this.#world;
    const readable = keys.filter((key) => people.isReadable(key));
    for (const key of readable) yield* this.#user(key);
    return readable.map((key) => people.idOf(key));
  }

  *#groups(): Generator<JsonObject> {
    const { groups } = this.#world;
    for (const list of groups.lists()) {
      const positions = Array.from(
        { length: groups.followerPositions(list, this.#nowMs) },
        (_, position) => groups.followerAt(list, position, this.#nowMs),
      );
      const member_ids = yield* this.#ids(groups.membersOf(list, this.#nowMs));
      const follower_ids = yield* this.#ids(positions.filter((key) => key !== undefined));
      yield line("list", { id: list.id, member_ids, follower_ids });
    }
    for (const community of groups.communities()) {
      const { id } = community;
      const member_ids = yield* this.#ids(groups.membersOf(community, this.#nowMs));
      const pin = this.#world.communityPin(id);
      yield* this.#pinned(pin);
      const pinnedId = pin === undefined ? {} : { pinned_tweet_id: pin.id };
      yield line("community", {
        id,
        ...this.#ask("community-info", { community_id: id }),
        member_ids,
        ...pinnedId,
      });
    }
  }

  *#follows(): Generator<JsonObject> {
    const { people, follows } = this.#world;
    for (const key of people.keys()) {
      if (!people.isReadable(key)) continue;
      const held = [
        ...follows.recent(key, this.#nowMs),
        ...follows.followersSince(key, this.#nowMs, this.#nowMs - WEEK_MS),
      ];
      const dates = new Map(held.map((follow) => [follow.key, follow.atMs]));
      for (const [follower, atMs] of [...dates].sort((a, b) => a[1] - b[1])) {
        if (!people.isReadable(follower)) continue;
        yield* this.#user(follower);
        const followerDate = new Date(atMs).toISOString();
        yield line("follow", {
          user_id: people.idOf(key),
          follower_id: people.idOf(follower),
          followerDate,
        });
      }
    }
  }

  *#places(): Generator<JsonObject> {
    const { spaces, trends } = this.#world;
    for (const { id } of spaces.latest(this.#nowMs, SPACES))
      yield line("space", this.#ask("spaces", { id }));
    for (const woeid of trends.places())
      for (const [at, trend] of (trends.at(woeid, this.#nowMs) ?? []).entries())
        yield line("trend", { woeid, rank: at + 1, ...trend });
  }

  /** Returns the body of the API's answer to this request. */
  #ask(name: EndpointName, input: Readonly<Record<string, Json>>): JsonObject {
    const operation = OPERATIONS.find((each) => each.name === name);
    if (operation === undefined) throw new RangeError(`no operation ${name}`);
    const params = createParams(input, false);
    const at = { world: this.#world, show: this.#show, nowMs: this.#nowMs };
    const call: Call = {
      endpoint: name,
      params,
      cursor: undefined,
      pathValue: "",
      ...at,
      traps: false,
      usage,
    };
    return operation.handle(call).body;
  }
}

const usage = (): never => {
  throw new RangeError("nobody's key is asked about");
};
