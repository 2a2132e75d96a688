/**
 * The second delivery stage: turns bundles into messages with a fixed id and body, which stay the
 * same through every attempt and restart.
 */
import type { Clock } from "../../model/clock.ts";
import { announcementGroup } from "../../model/digest.ts";
import { groupBy } from "../../model/group-by.ts";
import type {
  DueMember,
  DueMessage,
  NewMessage,
  Outbox,
  WordedDeliveries,
} from "../../model/outbox.ts";
import { newMessageId } from "../../model/message-id.ts";
import type { Random } from "../../model/random.ts";
import type { MessageBody, OutboxEvent } from "../../model/sink.ts";
import { withoutDeletedText } from "../../route/follow-up.ts";
import { acknowledgedLine } from "../../render/text/acknowledged-text.ts";
import { isSummaryGroup, summariseChanges } from "../../route/noise.ts";
import { busyKey, type ClaimedMessage, type SinkQueue } from "../queue/sink-queue.ts";
import { isFollowUpOnly, type Reply, replyOf, replyTo } from "./follow-ups.ts";
import type { Bundle, Claim, Surplus } from "./group.ts";
import { isUnrendered, layOut, type LayOutDeps, periodOf } from "./lay-out.ts";
import { createMentionChoice } from "./mentions.ts";
import type { Mutes } from "./mute.ts";
import type { Stage } from "./stage.ts";
import { threadOf } from "./threads.ts";
import type { TemplatedEvent, WordEvents } from "./word-events.ts";

export interface SealDeps {
  readonly layOut: LayOutDeps;
  readonly wordEvents: WordEvents;
  readonly store: Outbox;
  readonly clock: Clock;
  readonly random: Random;
  readonly mutes: Pick<Mutes, "mayHold">;
  /** Called with the events of every message once it is durable. */
  onSealed(message: NewMessage, events: readonly OutboxEvent[]): void;
}

export function createSealStage(deps: SealDeps): Stage<Claim, readonly ClaimedMessage[]> {
  return {
    name: "seal",
    async run({ queue, isProbe, messages, bundles: found, surplus }) {
      const bundles = found.flatMap(byReceivers);
      const mentionsOf = await createMentionChoice(
        deps.store,
        queue.name,
        bundles.length === 0 ? [] : queue.sink.mentions,
      );
      const worded = await wordedItems(deps, queue, bundles);
      const sealed: (readonly Sealed[])[] = [];
      for (const [index, bundle] of bundles.entries()) {
        // The end of a snooze speaks about a message that mentioned people before.
        const mentions =
          bundle.cause === "snooze" ? [] : mentionsOf(bundle.members, deps.clock.now());
        sealed.push(
          await sealBundle(deps, queue, { bundle, mentions, items: worded[index] ?? [] }),
        );
      }
      if (sealed.length > 0)
        await deps.store.seal(sealed.flatMap((one) => one.map(({ message }) => message)));
      for (const { message, events } of sealed.flat()) deps.onSealed(message, events);
      for (const one of surplus) await gather(deps, queue, one);
      // A message keeps its alerts only where a mute may hold it, because hundreds of messages wait
      // for their attempts. If a mute begins meanwhile, the alerts are read from the store.
      const isMutable = deps.mutes.mayHold(queue.name);
      // Only the first part of a digest is sent now. The outbox returns the other parts later, one
      // by one. It also returns all messages that may join a thread.
      const first = new Map<string, DueMessage>();
      for (const [index, [one]] of (queue.sink.threads === undefined ? sealed : []).entries())
        if (one !== undefined && !first.has(one.message.groupKey)) {
          const members = isMutable ? (bundles[index]?.members ?? []) : undefined;
          first.set(one.message.groupKey, unsent(one.message, members));
        }
      return [...messages, ...first.values()].map((message) =>
        claimMessage(queue, message, isProbe),
      );
    },
  };
}

/**
 * Divides a bundle into alerts that the same receivers already have, because an alert that is sent
 * again goes only to the other receivers.
 */
function byReceivers(bundle: Bundle): readonly Bundle[] {
  if (bundle.members.length < 2) return [bundle];
  const parts = groupBy(bundle.members, ({ taken = [] }) => JSON.stringify([...taken].sort()));
  if (parts.size < 2) return [bundle];
  const { deleted: _, ...rest } = bundle;
  return [...parts.values()].map((members, index) => ({ ...(index > 0 ? rest : bundle), members }));
}

/** What one bundle is sealed from. */
interface Unsealed {
  readonly bundle: Bundle;
  readonly mentions: readonly string[];
  readonly items: readonly Item[];
}

interface Sealed {
  readonly message: NewMessage;
  readonly events: readonly OutboxEvent[];
}

/**
 * Makes one message of a bundle, or several if the bundle is a digest in parts. The first part
 * counts against the throttle; the other parts are posted under it.
 */
async function sealBundle(
  deps: SealDeps,
  queue: SinkQueue,
  { bundle, mentions, items }: Unsealed,
): Promise<readonly Sealed[]> {
  const { groupKey, throttleKey } = bundle;
  const idsByEvent = new Map(items.map(({ event, deliveryIds }) => [event, deliveryIds]));
  const idsOf = (events: readonly OutboxEvent[]) =>
    events.flatMap((event) => idsByEvent.get(event) ?? []);
  const digest = periodOf(deps.layOut, bundle);
  const [{ taken } = {}] = bundle.members;
  const { parts, unlisted } = await layOut(deps.layOut, queue, [...idsByEvent.keys()], {
    ...bundle,
    mentions,
    period: digest?.period,
  });
  const reply = replyFor(queue.sink, bundle);
  const thread = isFollowUpOnly(bundle.members) ? undefined : threadOf(queue.sink.threads, bundle);
  const sealedAtMs = deps.clock.now();
  const ids = parts.map(() => newMessageId(deps.random, sealedAtMs));
  return parts.map((part, index) => {
    const isFirst = index === 0;
    const shownIds = idsOf(part.events);
    const ownIds = isFirst && unlisted.length > 0 ? [...shownIds, ...idsOf(unlisted)] : shownIds;
    const line = lineOf(queue, bundle.members, ownIds);
    const { body, footer } = withFooter(queue, part.body, line);
    // Written out, because spreading so many fields allocates several times the memory.
    const message: NewMessage = {
      id: ids[index] ?? "",
      sink: queue.name,
      sealedFor: queue.type,
      groupKey,
      throttleKey: isFirst ? throttleKey : null,
      sealedAtMs,
      body,
      footer,
      taken,
      deliveryIds: shownIds,
      joinedIds: joinedTo(bundle.members, ownIds),
      summarisedIds: isFirst ? idsOf(unlisted) : undefined,
      worded: wordedIn(part.events, idsByEvent),
      mentions: isFirst ? mentions : undefined,
      thread: isFirst ? thread : undefined,
      parentId: isFirst ? reply?.parentId : (reply?.parentId ?? ids[0] ?? ""),
      threadRef: isFirst ? reply?.threadRef : undefined,
      threadChannel: isFirst ? reply?.threadChannel : undefined,
      digest: isFirst ? digest : undefined,
    };
    return { events: part.events, message };
  });
}

function joinedTo(
  members: readonly DueMember[],
  deliveryIds: readonly string[],
): readonly string[] {
  if (members.every(({ joinedIds }) => joinedIds === undefined)) return [];
  const ids = new Set(deliveryIds);
  return members.flatMap(({ deliveryId, joinedIds = [] }) =>
    ids.has(deliveryId) ? joinedIds : [],
  );
}

/** Returns the deliveries whose text a template rendered, or failed to. */
function wordedIn(
  events: readonly OutboxEvent[],
  idsByEvent: ReadonlyMap<OutboxEvent, readonly string[]>,
): readonly WordedDeliveries[] {
  return events.flatMap((event) =>
    event.worded === undefined
      ? []
      : [{ ...event.worded, deliveryIds: idsByEvent.get(event) ?? [] }],
  );
}

/** Returns under which message a bundle is posted: that of its alert, or that of its snooze. */
const replyFor = (
  { replies }: SinkQueue["sink"],
  { cause, members, snoozedOn }: Bundle,
): Reply | undefined =>
  cause === undefined
    ? replyOf(replies, members)
    : replyTo(replies, cause === "snooze" ? snoozedOn : undefined);

/** A sink that edits its messages adds the line to the body whenever it sends or edits one. */
function withFooter(
  { sink: { footer } }: SinkQueue,
  body: MessageBody,
  line: string,
): Pick<NewMessage, "body" | "footer"> {
  if (footer?.edit !== undefined) return { body, footer: line };
  const isPlain = footer === undefined || line === "" || isUnrendered(body);
  return { body: isPlain ? body : footer.add(body, line) };
}

/** Returns the line below a message of these deliveries, which says who acknowledged them. */
function lineOf(
  { region }: SinkQueue,
  members: readonly DueMember[],
  deliveryIds: readonly string[],
): string {
  if (members.every(({ acknowledged }) => acknowledged === undefined)) return "";
  const ids = new Set(deliveryIds);
  const marks = members.flatMap(({ deliveryId, acknowledged }) =>
    acknowledged === undefined || !ids.has(deliveryId) ? [] : [acknowledged],
  );
  return acknowledgedLine({ marks, alerts: ids.size }, region);
}

export interface Item {
  readonly event: TemplatedEvent;
  readonly deliveryIds: readonly string[];
}

/**
 * Returns the items that a bundle shows, each with the deliveries that it represents. A summary
 * shows all changes of one account as one item.
 */
function itemsOf({ groupKey, members }: Pick<Bundle, "groupKey" | "members">): readonly Item[] {
  const items: Item[] = [];
  const summaries = new Map<string, DueMember[]>();
  for (const member of members) {
    const own = member.originalGroupKey ?? groupKey;
    if (isSummaryGroup(own)) summaries.set(own, [...(summaries.get(own) ?? []), member]);
    else items.push({ event: itemOf(member), deliveryIds: [member.deliveryId] });
  }
  for (const changes of [...summaries.values()]) {
    const idsOf = (subject: string) =>
      changes.filter(({ event }) => event.subject === subject).map(({ deliveryId }) => deliveryId);
    items.push(
      ...summariseChanges(changes).map((event) => ({
        event,
        deliveryIds: idsOf(event.event.subject),
      })),
    );
  }
  return items;
}

function itemOf(member: DueMember): TemplatedEvent {
  const event = withoutDeletedText(member.event);
  return event === member.event ? member : { ...member, event };
}

/** Returns an alert without its acknowledgement, because the footer of its message shows it. */
const withoutMark = ({ acknowledged: _, ...member }: DueMember): DueMember => member;

/** Returns the items of each bundle, with texts rendered by their templates. */
export async function wordedItems(
  { wordEvents }: Pick<SealDeps, "wordEvents">,
  queue: SinkQueue,
  bundles: readonly Bundle[],
): Promise<readonly (readonly Item[])[]> {
  const items = bundles.map(({ groupKey, members }) =>
    itemsOf({
      groupKey,
      members: queue.sink.footer === undefined ? members : members.map(withoutMark),
    }),
  );
  const worded = await wordEvents(
    queue,
    items.flat().map(({ event }) => event),
  );
  let next = 0;
  return items.map((own) =>
    own.map((item) => {
      const event = worded[next++] ?? item.event;
      return event === item.event ? item : { ...item, event };
    }),
  );
}

/**
 * Stores the surplus as gathered, and announces in the channel that alerts are gathered. A sink for
 * programs gets no announcement.
 */
async function gather(
  deps: SealDeps,
  queue: SinkQueue,
  { isFirst, ...overflow }: Surplus,
): Promise<void> {
  const { lists } = queue.sink;
  if (!isFirst || lists?.announce === undefined) return deps.store.gather(overflow);
  const sealedAtMs = deps.clock.now();
  const announcement: NewMessage = {
    id: newMessageId(deps.random, sealedAtMs),
    sink: queue.name,
    sealedFor: queue.type,
    groupKey: announcementGroup(overflow.throttleKey),
    sealedAtMs,
    body: lists.announce(overflow.digestDueAtMs),
    deliveryIds: [],
    throttleKey: null,
  };
  await deps.store.gather({ ...overflow, announcement });
}

const unsent = (message: NewMessage, members: DueMessage["members"]): DueMessage => ({
  id: message.id,
  sink: message.sink,
  groupKey: message.groupKey,
  sealedAtMs: message.sealedAtMs,
  body: message.body,
  footer: message.footer,
  taken: message.taken,
  threadRef: message.threadRef,
  threadChannel: message.threadChannel,
  members,
  alerts: message.deliveryIds.length,
  attempts: 0,
  firstAttemptAtMs: null,
});

function claimMessage(queue: SinkQueue, message: DueMessage, isProbe: boolean): ClaimedMessage {
  const busyKeys = [busyKey(queue.name, message.groupKey)];
  for (const key of busyKeys) queue.busy.add(key);
  queue.inHand += 1;
  return { queue, message, busyKeys, isProbe };
}

/**
 * Ends the claim of a message, because its result was recorded or it stays in the outbox unchanged.
 */
export function release({ queue, busyKeys }: ClaimedMessage): void {
  for (const key of busyKeys) queue.busy.delete(key);
  queue.inHand -= 1;
}
