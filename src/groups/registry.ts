/** The kinds of groups. A new one is a folder beside the others, and a line here and in `createRunners`. */
import type { Poll } from "../plan/poll.ts";
import { ACCOUNTS } from "./accounts/kind.ts";
import type { GroupKind } from "./kind/group-kind.ts";
import { MEMBER_LISTS } from "./member-lists/kind.ts";
import { SEARCHES } from "./searches/kind.ts";
import { SINGLE } from "./single/kind.ts";

export const GROUP_KINDS = { single: SINGLE, accounts: ACCOUNTS, "member-lists": MEMBER_LISTS, searches: SEARCHES } as const;

/** The kind of a poll: `single` where it is read by itself. */
export const kindOf = ({ group }: Pick<Poll, "group">): GroupKind => GROUP_KINDS[group?.kind ?? "single"];
