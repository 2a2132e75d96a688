/**
 * Applies muted hours at the moment of sending. A mute may begin after an alert was routed, or
 * while its sink accepts no messages. The mute then holds the delivery, or the message if the alert
 * was already sealed. Alerts that an operator sent again are not muted.
 */
import type { Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Log } from "../../model/log.ts";
import type { DueGroup, DueMessage, MuteableDelivery } from "../../model/outbox.ts";
import type {
  HeldDelivery,
  HeldMessage,
  Hold,
  PlacedAgain,
  WaitingDelivery,
  WaitsStore,
} from "../../model/waits.ts";
import { heldGroupKey } from "../../route/route-event.ts";

/** The active configuration's rules for waiting deliveries. */
export interface WaitRules {
  /** Whether muted hours are configured for the sink or for a route to it. */
  canMute(sink: string): boolean;
  /** Returns the mute that holds the delivery now; undefined if there is none. */
  holdOf(delivery: Pick<MuteableDelivery, "event" | "routed">, sink: string): Hold | undefined;
  /** Returns the sink's own mute if it is active now; otherwise undefined. */
  holdOfSink(sink: string): Hold | undefined;
  /**
   * Returns the group of a waiting delivery and until when it waits; undefined if its sink is not
   * configured.
   */
  placeAgain(waiting: WaitingDelivery): PlacedAgain["delivery"] | undefined;
}

export interface DueWork {
  readonly groups: readonly DueGroup[];
  readonly messages: readonly DueMessage[];
}

export interface MuteDeps {
  readonly store: Pick<WaitsStore, "holdDeliveries" | "holdMessages" | "messageMembers">;
  readonly clock: Clock;
  readonly log: Log;
  readonly waitRules?: WaitRules;
}

export interface Mutes {
  /**
   * Postpones deliveries and messages that a mute holds now, and returns the rest. `held` is the
   * number of postponed ones. The returned messages contain their deliveries.
   */
  withoutMuted(sink: string, due: DueWork): Promise<DueWork & { readonly held: number }>;
  /**
   * Returns the mute that holds a claimed message; undefined if none does. Called before each
   * attempt, because a mute may have begun since the message was claimed.
   */
  holdOf(sink: string, message: DueMessage): Hold | undefined;
  /**
   * Postpones a claimed message until the mute ends. Never rejects: if the store fails, the message
   * is due again.
   */
  hold(message: HeldMessage): Promise<void>;
}

export function createMutes({ store, clock, log, waitRules }: MuteDeps): Mutes {
  const holdOf: Mutes["holdOf"] = (sink, { members }) =>
    members === undefined || waitRules?.canMute(sink) !== true
      ? undefined
      : latestHold(waitRules, sink, members);
  return {
    holdOf,
    async withoutMuted(sink, due) {
      if (waitRules?.canMute(sink) !== true) return { ...due, held: 0 };
      const members = await store.messageMembers(due.messages.map(({ id }) => id));
      const messages = due.messages.map((message) => ({
        ...message,
        members: members.get(message.id) ?? [],
      }));
      const heldMessages = messages.flatMap((message): HeldMessage[] => {
        const hold = holdOf(sink, message);
        return hold === undefined ? [] : [{ ...hold, messageId: message.id }];
      });
      const held = due.groups.flatMap((group) => heldMembers(waitRules, sink, group));
      if (heldMessages.length > 0) await store.holdMessages(heldMessages, clock.now());
      if (held.length > 0) await store.holdDeliveries(sink, held);
      const ids = new Set([
        ...heldMessages.map(({ messageId }) => messageId),
        ...held.map(({ deliveryId }) => deliveryId),
      ]);
      const groups = due.groups.map((group) => ({
        ...group,
        members: group.members.filter(({ deliveryId }) => !ids.has(deliveryId)),
      }));
      return {
        messages: messages.filter(({ id }) => !ids.has(id)),
        groups: groups.filter((group) => group.members.length > 0),
        held: ids.size,
      };
    },
    async hold(message) {
      await store.holdMessages([message], clock.now()).catch((error: unknown) => {
        log.error("a message could not be put off until the end of a mute", {
          messageId: message.messageId,
          error: errorText(error),
        });
      });
    },
  };
}

function heldMembers(
  waitRules: WaitRules,
  sink: string,
  { groupKey, members }: DueGroup,
): readonly HeldDelivery[] {
  return members.flatMap((member): HeldDelivery[] => {
    const hold = member.isReplay ? undefined : waitRules.holdOf(member, sink);
    if (hold === undefined) return [];
    return [
      {
        ...hold,
        deliveryId: member.deliveryId,
        groupKey: heldGroupKey(member.event, groupKey, hold.untilMs),
      },
    ];
  });
}

/**
 * Returns the mute that ends last among those that hold one of the message's alerts. A message
 * without alerts is about the channel, so the sink's own mute applies.
 */
function latestHold(
  waitRules: WaitRules,
  sink: string,
  members: readonly MuteableDelivery[],
): Hold | undefined {
  if (members.length === 0) return waitRules.holdOfSink(sink);
  const holds = members.flatMap((member) =>
    member.isReplay ? [] : (waitRules.holdOf(member, sink) ?? []),
  );
  return holds.sort((a, b) => b.untilMs - a.untilMs)[0];
}
