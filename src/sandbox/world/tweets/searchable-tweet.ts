/**
 * Tweets and authors in the form in which a search checks them. A search checks a few fields of
 * thousands of tweets, so only the fields of the search language exist, and expensive fields, such
 * as counts of answers, are computed only when they are read.
 */
import { decodeText } from "../../../api/decode-text.ts";
import type { Tweet, TweetEntity } from "../../../model/tweet.ts";
import type { User } from "../../../model/user.ts";
import type { TweetRecord } from "./tweet-record.ts";

/** Functions that compute the fields. */
export interface SearchableSource {
  tweet(record: TweetRecord): Tweet;
  user(key: number): User;
  targetOf(record: TweetRecord): TweetRecord | undefined;
  textOf(record: TweetRecord, target: TweetRecord | undefined): string;
  entitiesOf(record: TweetRecord): readonly TweetEntity[];
  /** Returns a few fields of a profile, which is cheaper than the whole profile. */
  names(key: number): Pick<User, "id" | "username" | "display_name" | "verified">;
}

/**
 * Returns a function that makes a tweet searchable. The fields have the same values as those of
 * `source.tweet`, except that texts are unescaped, because a search matches the author's text and
 * not its escaped form.
 */
export function createSearchableTweets(source: SearchableSource): (record: TweetRecord) => Tweet {
  const authors = new Map<number, SearchableAuthor>();

  function author(key: number): SearchableAuthor {
    const known = authors.get(key);
    if (known !== undefined) return known;
    const made = new SearchableAuthor(source.names(key), () => source.user(key));
    authors.set(key, made);
    return made;
  }

  function searchable(record: TweetRecord): SearchableTweet {
    const target = source.targetOf(record);
    const near = target === undefined ? undefined : searchable(target);
    return new SearchableTweet(
      record,
      { target: near, user: author(record.author), text: source.textOf(record, target) },
      source,
    );
  }

  function recorded(record: TweetRecord): Tweet {
    const tweet = source.tweet(record);
    return { ...tweet, full_text: decodeText(tweet.full_text) };
  }

  return (record) =>
    record.shown === undefined ? (searchable(record) as unknown as Tweet) : recorded(record);
}

class SearchableAuthor {
  readonly id: string;
  readonly username: string;
  readonly display_name: string;
  readonly verified: boolean;
  readonly #whole: () => User;

  constructor(
    { id, username, display_name, verified }: ReturnType<SearchableSource["names"]>,
    whole: () => User,
  ) {
    this.id = id;
    this.username = username;
    this.display_name = decodeText(display_name);
    this.verified = verified;
    this.#whole = whole;
  }

  get possibly_sensitive(): unknown {
    return this.#whole()["possibly_sensitive"];
  }
}

const NO_ENTITIES: readonly TweetEntity[] = [];

interface TweetContext {
  readonly target: SearchableTweet | undefined;
  readonly user: SearchableAuthor;
  readonly text: string;
}

class SearchableTweet {
  readonly id: string;
  readonly full_text: string;
  readonly lang: string;
  readonly conversation_id_str: string;
  readonly is_reply: boolean;
  readonly is_quote_status: boolean;
  readonly in_reply_to_tweet_id: string;
  readonly in_reply_to_username: string;
  readonly user: SearchableAuthor;
  readonly quoted_status: SearchableTweet | undefined;
  readonly retweeted_status: SearchableTweet | undefined;
  readonly #record: TweetRecord;
  readonly #source: SearchableSource;

  constructor(record: TweetRecord, { target, user, text }: TweetContext, source: SearchableSource) {
    this.id = record.id;
    this.full_text = decodeText(text);
    this.lang = record.lang;
    this.conversation_id_str = record.conversationId;
    this.is_reply = record.kind === "reply";
    this.is_quote_status = record.kind === "quote";
    this.in_reply_to_tweet_id = this.is_reply ? (record.targetId ?? "") : "";
    this.in_reply_to_username = this.is_reply ? (target?.user.username ?? "") : "";
    this.user = user;
    this.quoted_status = record.kind === "quote" ? target : undefined;
    this.retweeted_status = record.kind === "retweet" ? target : undefined;
    this.#record = record;
    this.#source = source;
  }

  get created_at(): string {
    return new Date(this.#record.atMs).toISOString();
  }
  get entities(): readonly TweetEntity[] {
    return this.#record.media.length === 0 ? NO_ENTITIES : this.#source.entitiesOf(this.#record);
  }
  get likes_count(): number {
    return this.#source.tweet(this.#record).likes_count;
  }
  get retweet_count(): number {
    return this.#source.tweet(this.#record).retweet_count;
  }
  get reply_count(): number {
    return this.#source.tweet(this.#record).reply_count;
  }
  get quote_count(): number {
    return this.#source.tweet(this.#record).quote_count;
  }
}
