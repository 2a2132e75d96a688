/**
 * Tweets that are pinned to profiles and communities. They are older than any timeline reaches, and
 * depend only on the seed.
 */
import { timeOfTweetId } from "../../../model/id.ts";
import { COMMUNITIES } from "../groups/communities.ts";
import { DAY_MS } from "../chance/daily.ts";
import { unit } from "../chance/dice.ts";
import type { PeopleDirectory } from "../people/people-directory.ts";
import { snowflake, type TweetRecord } from "./tweet-record.ts";

const PINS_FROM_MS = Date.UTC(2024, 5, 1);
const PINS_SPAN_MS = 90 * DAY_MS;
/**
 * The number of different pinned tweets of an account. Each change of the account's profile
 * replaces its pinned tweet by the next one.
 */
const TURNS = 4;

/** Creates the pinned tweets of one world. */
export function createPins(people: PeopleDirectory) {
  const { seed } = people;
  const known = new Map<string, TweetRecord>();

  function record(what: string, author: number, text: string): TweetRecord {
    const atMs = PINS_FROM_MS + Math.floor(unit(seed, what, author) * PINS_SPAN_MS);
    const id = snowflake(atMs, author);
    return {
      id,
      atMs,
      visibleMs: atMs,
      indexedMs: atMs,
      author,
      kind: "post",
      text,
      lang: "en",
      conversationId: id,
      media: [],
      likesAtLast: 120,
    };
  }

  /**
   * Returns the account's pinned tweet after this many changes of its profile; undefined if the
   * account has none.
   */
  function pinOf(author: number, revisions: number): TweetRecord | undefined {
    const account = author < people.count ? people.account(author) : undefined;
    if (account === undefined || (revisions === 0 && !account.hasPinned)) return undefined;
    const turn = revisions % TURNS;
    const name = `${author}:${turn}`;
    const made = known.get(name) ?? makePin(author, turn, account.topic);
    known.set(name, made);
    return made;
  }

  function makePin(author: number, turn: number, topic: string): TweetRecord {
    const isArticle = unit(seed, "article", author, turn) < 0.3;
    const text = isArticle
      ? `I wrote it all down: what ${topic} taught me.`
      : `New here? Start with my thread on ${topic}.`;
    return { ...record(turn === 0 ? "pin" : `pin-${turn}`, author, text), isArticle };
  }

  const communityPins = new Map(
    people.count === 0
      ? []
      : COMMUNITIES.map(({ id, creator }): [string, TweetRecord] => [
          id,
          {
            ...record(
              `rules-${id}`,
              creator,
              "House rules: be kind, show your work, no giveaways.",
            ),
            communityId: id,
          },
        ]),
  );

  function find(id: string): TweetRecord | undefined {
    const atMs = timeOfTweetId(id);
    if (atMs < PINS_FROM_MS || atMs >= PINS_FROM_MS + PINS_SPAN_MS) return undefined;
    for (const pin of communityPins.values()) if (pin.id === id) return pin;
    const author = Number(BigInt(id) & 0x3fffffn);
    for (let turn = 0; turn < TURNS; turn += 1) {
      const pin = pinOf(author, turn);
      if (pin?.id === id) return pin;
    }
    return undefined;
  }

  return {
    pinOf,
    find,
    communityPin: (communityId: string): TweetRecord | undefined => communityPins.get(communityId),
  };
}
