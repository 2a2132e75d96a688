/** Writes the texts of tweets. */
import type { TweetKind } from "../../../model/tweet.ts";
import type { Account } from "../people/accounts.ts";
import { pick } from "../chance/dice.ts";
import {
  CLOSERS,
  COMMUNITY_TALK,
  BRAND_TALK,
  JOB_TALK,
  OPENERS,
  REPLIES,
  TOPICS,
} from "../chance/vocabulary.ts";

export interface TextOccasion {
  readonly account: Account;
  readonly kind: TweetKind;
  readonly target: Account | undefined;
  readonly community: boolean;
}

export function composeText(occasion: TextOccasion, dice: () => number): string {
  const { account, kind, target, community } = occasion;
  if (kind === "retweet") return `RT @${target?.username ?? ""}: …`;
  if (kind === "reply") return `@${target?.username ?? ""} ${pick(REPLIES, dice())}`;
  if (community) return `${pick(COMMUNITY_TALK, dice())} ${pick(CLOSERS, dice())}`;
  if (account.username === "acme_jobs") return pick(JOB_TALK, dice());
  if (dice() < 0.04) return brandTalk(dice);
  const topic = dice() < 0.6 ? account.topic : pick(TOPICS, dice());
  const tag = dice() < 0.25 ? ` #${topic.replace(/[^a-z]/g, "")}` : dice() < 0.1 ? " $BTC" : "";
  return `${pick(OPENERS, dice())} ${topic}${closing(pick(CLOSERS, dice()))}${tag}`;
}

/** Returns the closing words, either as the end of the sentence or as a sentence of their own. */
const closing = (closer: string): string => (/^[a-z]/.test(closer) ? ` ${closer}` : `. ${closer}`);

const brandTalk = (dice: () => number): string =>
  dice() < 0.08 ? "Big giveaway! Follow @acme to win a mug." : pick(BRAND_TALK, dice());
