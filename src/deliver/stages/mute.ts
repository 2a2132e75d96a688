/**
 * Applies muted hours and snoozes at the moment of sending. Either may begin after an alert was
 * routed, or while its sink accepts no messages. It then holds the alert's delivery. If the alert
 * is already part of a stored message, it holds that message. Alerts that an operator sent again
 * are not held.
 */
import type { Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { ChirpEvent } from "../../model/event.ts";
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
import { type Silence, snoozedPlace, snoozeHold } from "../../route/silence.ts";

/** The active configuration's rules for waiting deliveries. */
export interface WaitRules {
  /** Whether muted hours are configured for the sink or for a route to it, or a snooze holds there. */
  canMute(sink: string): boolean;
  /** Returns the mute that holds the delivery now; undefined if there is none. */
  holdOf(delivery: Pick<MuteableDelivery, "event" | "routed">, sink: string): Hold | undefined;
  /** Returns the snooze that holds the event back at the sink now; undefined if none does. */
  snoozeOf(event: Pick<ChirpEvent, "watchType" | "labels">, sink: string): Silence | undefined;
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
  readonly store: Pick<
    WaitsStore,
    "holdDeliveries" | "holdMessages" | "messageMembers" | "revertUntried"
  >;
  readonly clock: Clock;
  readonly log: Log;
  readonly waitRules?: WaitRules;
}

export interface Mutes {
  /** Whether a mute or a snooze may hold messages of the sink now. */
  mayHold(sink: string): boolean;
  /**
   * Postpones deliveries and messages that a mute holds now, and returns the rest. `held` is the
   * number of postponed ones. The returned messages contain their deliveries.
   */
  withoutMuted(sink: string, due: DueWork): Promise<DueWork & { readonly held: number }>;
  /**
   * Returns the mute or snooze that holds a claimed message; undefined if none does. Called before
   * each attempt, because either may have begun since the message was claimed.
   */
  holdOf(sink: string, message: DueMessage): Promise<Hold | undefined>;
  /**
   * Postpones a claimed message until the mute ends. Never rejects: if the store fails, the message
   * is due again.
   */
  hold(message: HeldMessage): Promise<void>;
}

export function createMutes({ store, clock, log, waitRules }: MuteDeps): Mutes {
  return {
    mayHold: (sink) => waitRules?.canMute(sink) === true,
    async holdOf(sink, { id, members }) {
      if (waitRules?.canMute(sink) !== true) return undefined;
      const own = members ?? (await store.messageMembers([id])).get(id) ?? [];
      return latestHold(waitRules, sink, own);
    },
    async withoutMuted(sink, due) {
      if (waitRules?.canMute(sink) !== true) return { ...due, held: 0 };
      const members = await store.messageMembers(due.messages.map(({ id }) => id));
      const messages = due.messages.map((message) => ({
        ...message,
        members: members.get(message.id) ?? [],
      }));
      // Alerts of a message that was never tried become part of the digest of their snooze.
      const reverted = await store.revertUntried(
        messages.flatMap((message) =>
          snoozeOfAll(waitRules, sink, message.members) === undefined ? [] : [message.id],
        ),
      );
      const heldMessages = messages.flatMap((message): HeldMessage[] => {
        const hold = reverted.has(message.id)
          ? undefined
          : latestHold(waitRules, sink, message.members);
        return hold === undefined ? [] : [{ ...hold, messageId: message.id }];
      });
      const held = due.groups.flatMap((group) => heldMembers(waitRules, sink, group));
      if (heldMessages.length > 0) await store.holdMessages(heldMessages, clock.now());
      if (held.length > 0) await store.holdDeliveries(sink, held);
      const ids = new Set([
        ...reverted,
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
    if (member.isReplay) return [];
    const { deliveryId, event, joined } = member;
    const hold = waitRules.holdOf(member, sink);
    const snooze = snoozeOfEach(waitRules, sink, [event, ...joined]);
    if (snooze !== undefined) {
      const place = snoozedPlace(snooze, { notBeforeMs: hold?.untilMs ?? 0, ...hold });
      const { notBeforeMs: untilMs, heldBy = "" } = place;
      return [{ untilMs, heldBy, deliveryId, groupKey: place.groupKey }];
    }
    if (hold === undefined) return [];
    return [
      {
        ...hold,
        deliveryId,
        groupKey: heldGroupKey(event, groupKey, hold.untilMs),
      },
    ];
  });
}

/** Returns the snooze that ends first, if each of the events is snoozed; otherwise undefined. */
function snoozeOfEach(
  waitRules: WaitRules,
  sink: string,
  events: readonly Pick<ChirpEvent, "watchType" | "labels">[],
): Silence | undefined {
  const snoozes = events.flatMap((event) => waitRules.snoozeOf(event, sink) ?? []);
  return snoozes.length < events.length
    ? undefined
    : snoozes.sort((a, b) => a.endsAtMs - b.endsAtMs)[0];
}

/** Returns the snooze that holds a message; undefined if one of its alerts is not snoozed. */
const snoozeOfAll = (
  waitRules: WaitRules,
  sink: string,
  members: readonly MuteableDelivery[],
): Silence | undefined =>
  members.some(({ isReplay }) => isReplay)
    ? undefined
    : snoozeOfEach(
        waitRules,
        sink,
        members.map(({ event }) => event),
      );

/**
 * Returns what holds the message: the mute that ends last among those that hold one of its alerts,
 * or the snooze of all its alerts. A message without alerts, such as an empty digest, can only be
 * held by the sink's own mute.
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
  const snooze = snoozeOfAll(waitRules, sink, members);
  return [...holds, ...(snooze === undefined ? [] : [snoozeHold(snooze)])].sort(
    (a, b) => b.untilMs - a.untilMs,
  )[0];
}
