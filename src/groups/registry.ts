/**
 * All kinds of groups. A new kind needs a folder next to the others, a line here and a line in
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

/** Returns the kind of group that reads a poll; `single` for a poll that is read on its own. */
export const groupKindOf = ({ group }: Pick<Poll, "group">): GroupKind =>
  GROUP_KINDS[group?.kind ?? "single"];
