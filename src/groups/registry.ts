/**
 * The kinds of groups. A new kind is a folder next to the others, and a line here and in
 * `createRunners`.
 */
import type { Poll } from "../plan/poll.ts";
import { ACCOUNTS_KIND } from "./accounts/kind.ts";
import type { GroupKind } from "./kind/group-kind.ts";
import { MEMBER_LISTS_KIND } from "./member-lists/kind.ts";
import { SEARCHES_KIND } from "./searches/kind.ts";
import { SINGLE_KIND } from "./single/kind.ts";

export const GROUP_KINDS = {
  single: SINGLE_KIND,
  accounts: ACCOUNTS_KIND,
  "member-lists": MEMBER_LISTS_KIND,
  searches: SEARCHES_KIND,
} as const;

/** Returns the kind that reads a poll: `single` if it is read on its own. */
export const groupKindOf = ({ group }: Pick<Poll, "group">): GroupKind =>
  GROUP_KINDS[group?.kind ?? "single"];
