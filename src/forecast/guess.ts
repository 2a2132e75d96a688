/** How far off a forecast may be of accounts that nobody has read yet: a few busy ones among them make most of the posts. Pure. */
import { groupKindOf } from "../groups/registry.ts";
import type { Learned } from "../plan/rates/learned.ts";
import { type Poll, userIdOf } from "../plan/poll.ts";
import { usualRange } from "../plan/rates/rates.ts";

export interface Guess {
  readonly unknownAccounts: number;
  /** Their posts in four of five cases, against what is assumed. */
  readonly posts: { readonly low: number; readonly high: number };
}

/** Undefined where the rates of all are known. */
export function guessOf(polls: readonly Poll[], { rateOf }: Learned): Guess | undefined {
  const rated = polls.flatMap((poll) => (poll.group === undefined ? [] : groupKindOf(poll).ratedMembers(poll.group)));
  const unknownAccounts = rated.filter((member) => rateOf(userIdOf(member)) === undefined).length;
  return unknownAccounts === 0 ? undefined : { unknownAccounts, posts: usualRange(unknownAccounts) };
}
