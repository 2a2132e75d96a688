/**
 * Shows users as profiles of the API at one moment: accounts of the world, the crowd, and recorded
 * accounts.
 */
import type { User } from "../../../model/user.ts";
import type { Account } from "../people/accounts.ts";
import { hash32, pick } from "../chance/dice.ts";
import { BIOS, NAME_ORNAMENTS } from "../chance/vocabulary.ts";
import type { WorldAt } from "../world.ts";

/**
 * Creates functions that show the profiles of this world at `nowMs`. Each profile is computed once.
 */
export function createProfiles(world: WorldAt, nowMs: number) {
  const { people } = world;
  const users = new Map<number, User>();

  function user(key: number): User {
    const known = users.get(key);
    if (known !== undefined) return known;
    const account = people.account(key);
    const made =
      account !== undefined
        ? accountUser(world, account, nowMs)
        : people.isCrowd(key)
          ? crowdUser(world, key)
          : recordedUser(world, key, nowMs);
    users.set(key, made);
    return made;
  }

  /** Returns a few fields of the profile, which is cheaper than the whole profile. */
  function names(
    key: number,
  ): Pick<User, "id" | "username" | "display_name" | "verified" | "description"> {
    const account = people.account(key);
    if (account === undefined) return user(key);
    const { display_name, description } = face(world.seed, account, people.revisions(key));
    const { id, verified } = account;
    return {
      id,
      username: people.usernameOf(key),
      display_name,
      description,
      verified,
      ...people.shown(key),
    };
  }

  /** Returns the text in which a search for users looks for words. */
  function nameAndBio(key: number): string {
    const { username, display_name, description } = names(key);
    return `${username} ${display_name} ${description}`;
  }

  return { user, names, nameAndBio };
}

function accountUser(world: WorldAt, account: Account, nowMs: number): User {
  const { people, tweets, follows } = world;
  const key = account.index;
  const { posts, media } = tweets.countBy(key, nowMs);
  const pin = world.pinOf(key);
  return {
    id: account.id,
    username: people.usernameOf(key),
    ...face(world.seed, account, people.revisions(key)),
    location: account.location,
    bio_urls:
      hash32(world.seed, "bio-url", key) % 3 === 0
        ? [`https://example.com/${account.username}`]
        : [],
    can_dm: hash32(world.seed, "dm", key) % 2 === 0,
    created_at: new Date(account.createdMs).toISOString(),
    favourites_count: hash32(world.seed, "faves", key) % 40_000,
    followers_count: follows.followerCount(key, nowMs),
    followings_count: follows.followingCount(key, nowMs),
    media_count: Math.floor(account.tweetsBefore * 0.24) + media,
    tweets_count: account.tweetsBefore + posts,
    pinned_tweet_ids: pin === undefined || tweets.find(pin.id) === undefined ? [] : [pin.id],
    possibly_sensitive: hash32(world.seed, "sensitive", key) % 50 === 0,
    protected: people.isProtected(key),
    verified: account.verified,
    ...people.shown(key),
  };
}

/**
 * Returns the name, the bio and the pictures after this many changes of the profile. Every change
 * gives a new picture; every second one also gives a new name and bio.
 */
function face(seed: number, account: Account, revisions: number) {
  const edition = Math.floor(revisions / 2);
  const chosen = hash32(seed, "look", account.index, edition) / 2 ** 32;
  const version = revisions === 0 ? "normal" : `normal_${revisions}`;
  return {
    display_name:
      edition === 0
        ? account.displayName
        : `${account.displayName} ${pick(NAME_ORNAMENTS, chosen)}`,
    description: edition === 0 ? account.description : pick(BIOS, chosen),
    ...pictures(account.id, version),
  };
}

/** Returns a recorded user, with the changes that were made by hand since then. */
function recordedUser({ people, tweets }: WorldAt, key: number, nowMs: number): User {
  const seen = people.recordedUser(key);
  if (seen === undefined) throw new RangeError(`no user ${key}`);
  const { posts, media } = tweets.countBy(key, nowMs);
  return {
    ...seen,
    username: people.usernameOf(key),
    tweets_count: seen.tweets_count + posts,
    media_count: seen.media_count + media,
    protected: people.isProtected(key),
    ...people.shown(key),
  };
}

function crowdUser({ seed, people }: WorldAt, key: number): User {
  const person = people.person(key);
  return {
    id: person.id,
    username: person.username,
    display_name: person.displayName,
    description: "",
    location: "",
    bio_urls: [],
    can_dm: false,
    created_at: new Date(person.createdMs).toISOString(),
    favourites_count: hash32(seed, "faves", key) % 4_000,
    followers_count: person.followersCount,
    followings_count: 20 + (hash32(seed, "followings", key) % 1_500),
    media_count: 0,
    tweets_count: hash32(seed, "posts", key) % 9_000,
    pinned_tweet_ids: [],
    possibly_sensitive: false,
    ...pictures(person.id, "normal"),
    protected: false,
    verified: person.followersCount > 5_000,
  };
}

const pictures = (id: string, version: string) => ({
  profile_image_url: `https://images.example/avatars/${id}/${version}.jpg`,
  profile_background_image_url: `https://images.example/banners/${id}/1500x500.jpg`,
});
