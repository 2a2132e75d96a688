/** Returns the accounts that a watch observes, and when the world had each of them on the list. */
import type { Json } from "../../../src/model/json.ts";
import {
  AUTHORS,
  FAN_COMMUNITY_ID,
  FAN_LIST_ID,
  FANS,
  USER_QUERY,
  VERIFIED_FANS,
  WATCHED,
} from "../draw/cast.ts";
import type { Fact } from "../run/world-history.ts";
import type { Evidence } from "./evidence.ts";
import { shownTimes } from "./expected.ts";
import { accountsOf, postNamed } from "./selects.ts";
import { textOf } from "./rules.ts";
import type { Watched } from "./timeline.ts";

/** A list. An account that is not among its people is never on it. */
export interface Listed {
  /** The account whose list it is; "" if there is none. */
  readonly target: string;
  readonly people: readonly string[];
  readonly factsOf: (who: string) => readonly Fact[];
  /**
   * When each of the same people is on the list whose counter is probed. Set only when that list is
   * longer than the one that is read.
   */
  readonly factsOfCounted?: (who: string) => readonly Fact[];
}

export function listsOf({ rules }: Watched, evidence: Evidence): readonly Listed[] {
  const { keys, type } = rules;
  const { facts } = evidence.played.world;
  const named = (factOf: (who: string) => string) => (who: string) => facts.get(factOf(who)) ?? [];
  const fans = (target: string, factOf: (fan: string) => string): Listed => ({
    target,
    people: FANS,
    factsOf: named(factOf),
  });
  const ofAccounts = (factOf: (target: string, fan: string) => string) =>
    accountsOf(keys, evidence.scene).map((target) => fans(target, (fan) => factOf(target, fan)));
  switch (type) {
    case "followers":
    case "new_followers":
    case "top_followers":
      return ofAccounts((target, fan) => `follow ${fan} ${target}`);
    case "verified_followers":
      return accountsOf(keys, evidence.scene).map((target) => ({
        ...fans(target, (fan) => (VERIFIED_FANS.includes(fan) ? `follow ${fan} ${target}` : "")),
        factsOfCounted: named((fan) => `follow ${fan} ${target}`),
      }));
    case "following":
    case "new_following":
    case "top_following":
      return ofAccounts((target, fan) => `follow ${target} ${fan}`);
    case "list_members":
      return [fans("", (fan) => `in ${FAN_LIST_ID} ${fan}`)];
    case "list_followers":
      return [fans("", (fan) => `follows ${FAN_LIST_ID} ${fan}`)];
    case "community_members":
      return [fans("", (fan) => `in ${FAN_COMMUNITY_ID} ${fan}`)];
    case "user_search":
      return [
        {
          target: "",
          people: WATCHED,
          factsOf: (who) => matches(facts.get(`profile ${who} description`) ?? []),
        },
      ];
    case "retweeters":
      return answered({ evidence, kind: "retweet", post: postNamed(keys), people: AUTHORS });
    case "membership":
      return membershipOf(keys as Readonly<Record<string, Json>>, evidence);
    default:
      return [];
  }
}

function membershipOf(keys: Readonly<Record<string, Json>>, evidence: Evidence): readonly Listed[] {
  const { facts } = evidence.played.world;
  const people = keys["accounts"] as readonly string[];
  const account = textOf(keys["account"]);
  switch (keys["check"]) {
    case "follow":
      return [
        { target: account, people, factsOf: (who) => facts.get(`follow ${who} ${account}`) ?? [] },
      ];
    case "community_member":
      return [
        { target: "", people, factsOf: (who) => facts.get(`in ${FAN_COMMUNITY_ID} ${who}`) ?? [] },
      ];
    case "retweet":
      return answered({ evidence, kind: "retweet", post: postNamed(keys), people });
    default:
      return answered({ evidence, kind: "reply", post: postNamed(keys), people });
  }
}

/** Faults that add posts, or remove them in some places and leave them in others. */
const POST_FAULTS = /^(?:late_visible|deleted_and_restored|protected|twin_ids|shifting_pages)$/;

interface Answers {
  readonly evidence: Evidence;
  readonly kind: "reply" | "retweet";
  readonly post: string | undefined;
  readonly people: readonly string[];
}

/** Returns who answered a post in this way, as far as the answers still exist. */
function answered({ evidence: { played }, kind, post, people }: Answers): readonly Listed[] {
  if (
    played.scenario.steps.some((step) => step.do === "service fault" && POST_FAULTS.test(step.name))
  )
    return [];
  const answers = played.world.tweets().filter((tweet) => tweet.kind === kind && tweet.of === post);
  const factsOf = (who: string): readonly Fact[] => {
    const spans = answers
      .filter(({ by }) => by === who)
      .flatMap((tweet) => shownTimes(tweet, played));
    const moments = [...new Set(spans.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))]
      .filter(Number.isFinite)
      .sort((a, b) => a - b);
    return moments.map((atMs) => ({
      atMs,
      value: spans.some(({ fromMs, toMs }) => fromMs <= atMs && toMs > atMs),
    }));
  };
  return [{ target: "", people, factsOf }];
}

const matches = (facts: readonly Fact[]): readonly Fact[] =>
  facts.map(({ atMs, value }) => ({
    atMs,
    value: textOf(value).toLowerCase().includes(USER_QUERY),
  }));
