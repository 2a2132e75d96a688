/**
 * Muted hours at the moment of sending. A mute that began after an alert was routed, or while its
 * sink took no messages, holds it all the same: before it is sealed as a delivery, after that as a
 * message. What an operator sent again passes.
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

/** What the active configuration says of deliveries that wait. */
export interface WaitRules {
  /** Whether the sink has muted hours at all, by itself or by a route. */
  canMute(sink: string): boolean;
  /** The mute that holds such a delivery back now. */
  holdOf(delivery: Pick<MuteableDelivery, "event" | "routed">, sink: string): Hold | undefined;
  /** The mute of the sink itself. */
  holdOfSink(sink: string): Hold | undefined;
  /**
   * Where a delivery that waitRules belongs, and until when; undefined for a sink that is not
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
  /** Puts off what a mute holds now, and gives back the rest, messages with their deliveries. */
  withoutMuted(sink: string, due: DueWork): Promise<DueWork & { readonly held: number }>;
  /** Asked before each attempt: its deliveries may be muted since they were claimed. */
  holdOf(sink: string, message: DueMessage): Hold | undefined;
  /**
   * Puts a claimed message off. Never rejects: the state asks for it again where it cannot be
   * stored.
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
 * A message waitRules for the last of the mutes that hold one of its alerts. One without alerts is
 * about the channel.
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
