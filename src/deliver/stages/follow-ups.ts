/**
 * Decides which due alerts are sent, depending on the present state of their posts. An alert about
 * a deleted post is left out. A follow-up reports a change of a post that had an alert before. It
 * is sent as a reply to that alert, waits until the alert's message is edited, or is dropped
 * because the edit shows the same. Pure, except that the decisions are recorded in the store.
 */
import type { Clock } from "../../model/clock.ts";
import type { EditCause } from "../../model/edit-cause.ts";
import type {
  DueGroup,
  DueMember,
  FollowedAlert,
  Outbox,
  SentMessage,
  Withheld,
} from "../../model/outbox.ts";
import type { Sink, SinkUpdates } from "../../model/sink.ts";
import { isAfterAlert } from "../../route/follow-up.ts";
import { ownValue } from "../../model/own-value.ts";

/** The wait before the state of a pending edit is checked again. */
const EDIT_WAIT_MS = 5_000;

/** A group, with the number of its alerts that were left out because their posts are deleted. */
export interface SortedGroup extends DueGroup {
  readonly deleted: number;
}

type Fate =
  | { readonly kind: "send" | "deleted" | "later" }
  | { readonly kind: "joined"; readonly withId: string; readonly detail: string }
  | { readonly kind: "dropped"; readonly detail: string };

const SEND: Fate = { kind: "send" };
const NONE: ReadonlySet<string> = new Set();

/**
 * Returns the groups without the alerts that are not sent now, and records in the store why not. A
 * group without remaining alerts is omitted.
 */
export async function withoutWithheld(
  { store, clock }: { readonly store: Pick<Outbox, "withhold">; readonly clock: Clock },
  { updates }: Pick<Sink, "updates">,
  groups: readonly DueGroup[],
): Promise<readonly SortedGroup[]> {
  const fates = new Map(
    groups.flatMap(({ members }) => {
      const edited = members.filter(({ isEdited }) => isEdited === true);
      const shown = edited.length === 0 ? NONE : new Set(edited.map((one) => one.deliveryId));
      return members.map((member) => [member, fateOf(member, shown, updates)] as const);
    }),
  );
  const unsent = [...fates].filter(([, { kind }]) => kind !== "send");
  const idsOf = (kind: Fate["kind"]) =>
    unsent.flatMap(([{ deliveryId }, fate]) => (fate.kind === kind ? [deliveryId] : []));
  const withheld: Withheld = {
    deletedIds: idsOf("deleted"),
    joined: unsent.flatMap(([{ deliveryId }, fate]) =>
      fate.kind === "joined" ? [{ ...fate, deliveryId }] : [],
    ),
    dropped: unsent.flatMap(([{ deliveryId }, fate]) =>
      fate.kind === "dropped" ? [{ ...fate, deliveryId }] : [],
    ),
    postponed: { ids: idsOf("later"), dueAtMs: clock.now() + EDIT_WAIT_MS },
  };
  if (unsent.length > 0) await store.withhold(withheld);
  return groups
    .map((group) => ({
      ...group,
      members: group.members.filter((member) => fates.get(member)?.kind === "send"),
      deleted: group.members.filter((member) => fates.get(member)?.kind === "deleted").length,
    }))
    .filter(({ members }) => members.length > 0);
}

/**
 * Decides what happens to an alert. `shown` contains the ids of deliveries in the same digest that
 * show the edited text of their posts.
 */
function fateOf(
  member: DueMember,
  shown: ReadonlySet<string>,
  updates: SinkUpdates | undefined,
): Fate {
  if (member.isGone === true) return { kind: "deleted" };
  const { event, follows } = member;
  if (follows === undefined) return SEND;
  const withId = follows.deliveryId;
  const isEnd = event.type === "tweet.deleted";
  // The earlier alert is not sent: either it was left out because its post is deleted, or it still
  // waits and is left out now. The receivers therefore need not learn of the deletion.
  if (follows.state === "deleted" || (isEnd && follows.state === "waiting"))
    return { kind: "joined", withId, detail: UNSENT };
  if (follows.state === "unsent") return { kind: "dropped", detail: UNSENT };
  if (event.type === "tweet.edited" && shown.has(withId))
    return { kind: "joined", withId, detail: "its digest shows the edited text" };
  const fate = editedFate(member, updates);
  if (fate.kind !== "send" || follows.saidBy === undefined) return fate;
  return {
    kind: "joined",
    withId: follows.saidBy,
    detail: "the alert of another watch says the same",
  };
}

const UNSENT = "the alert that it follows was not sent";

function editedFate({ event, follows }: DueMember, updates: SinkUpdates | undefined): Fate {
  const cause = ownValue(CAUSES, event.type);
  if (follows === undefined || cause === undefined || updates === undefined) return SEND;
  if (updates.followUp === "always" || !updates.causes.has(cause)) return SEND;
  return editFate(follows, event.type === "tweet.deleted");
}

const CAUSES: Readonly<Record<string, EditCause>> = {
  "tweet.deleted": "deleted",
  "tweet.edited": "edited",
};

/**
 * Decides about a follow-up by the state of the edit of its alert's message. A message that the
 * sink cannot find again is never edited, so its follow-up is sent.
 */
function editFate({ deliveryId, state, message, edit }: FollowedAlert, isEnd: boolean): Fate {
  if (state !== "sent" || message === undefined || edit === undefined || (isEnd && !edit.isGone))
    return SEND;
  if (edit.state === "waiting") return { kind: "later" };
  return edit.state === "done"
    ? { kind: "joined", withId: deliveryId, detail: "the message of its alert was edited" }
    : SEND;
}

/** Whether a message consists of follow-ups only. */
export const isFollowUpOnly = (members: readonly DueMember[]): boolean =>
  members.every(({ event }) => isAfterAlert(event));

export interface Reply {
  /** The id of the message under which this follow-up is posted. */
  readonly parentId: string;
  readonly threadRef: string;
  readonly threadChannel?: string;
}

/**
 * Returns the message under which a message of follow-ups is posted; undefined if it is posted on
 * its own.
 */
export function replyOf(
  replies: Sink["replies"],
  members: readonly DueMember[],
): Reply | undefined {
  if (replies === undefined) return undefined;
  const messages = new Map(members.map(({ follows }) => [follows?.message?.id, follows?.message]));
  const [message] = messages.values();
  return messages.size === 1 && isFollowUpOnly(members) ? replyTo(replies, message) : undefined;
}

/** Returns how a message is posted under another one; undefined if it is posted on its own. */
export function replyTo(
  replies: Sink["replies"],
  message: SentMessage | undefined,
): Reply | undefined {
  if (replies === undefined || message === undefined) return undefined;
  const { id, ref, channel } = message;
  const place = channel === undefined ? {} : { threadChannel: channel };
  return replies === "thread" && message.first !== undefined
    ? { parentId: message.first.id, threadRef: message.first.ref, ...place }
    : { parentId: id, threadRef: ref, ...place };
}
