/**
 * Lets a sink render the events of one group, as a digest or as one or more messages. There are
 * several if the events are too many for one message, or their message is too large in bytes.
 * seal.ts seals them, digest.ts decides on the content of a digest.
 */
import {
  digestGroup,
  type DigestPeriod,
  periodAfter,
  scheduledDigestName,
} from "../../model/digest.ts";
import { type Clock, sleep } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Json } from "../../model/json.ts";
import type { Log } from "../../model/log.ts";
import type { NeutralMessage } from "../../model/message.ts";
import type {
  BatchDigest,
  DigestPart,
  MessageBody,
  OutboxEvent,
  SinkLists,
} from "../../model/sink.ts";
import { gatherPeople } from "../../render/people.ts";
import { isAfterAlert } from "../../route/follow-up.ts";
import type { SinkDigest } from "../../route/scheduled-digest.ts";
import { bodyBytes } from "../queue/message-sizes.ts";
import type { SinkQueue } from "../queue/sink-queue.ts";
import {
  byAge,
  type DigestDeps,
  type LaidOut,
  layOutDigest,
  type ListFacts,
  titleOf,
} from "./digest.ts";
import { sortItems } from "./digest-sections.ts";
import type { Bundle } from "./group.ts";

export interface LayOutDeps extends Pick<DigestDeps, "listedAt"> {
  read(event: OutboxEvent, sink: string): NeutralMessage;
  /** The scheduled digests, by the name in their groups' keys. */
  readonly digests: ReadonlyMap<string, SinkDigest>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The facts about a group that decide how it is rendered. */
export interface Shown extends Pick<Bundle, "groupKey" | "cause" | "series" | "deleted"> {
  /** The period that the group covers, if it is a scheduled digest. */
  readonly period?: DigestPeriod | undefined;
  /** The mentions. If there are several messages, only the first one contains them. */
  readonly mentions: readonly string[];
  /** The facts about a scheduled digest, which each message says if the sink has no lists. */
  readonly digest?: BatchDigest | undefined;
}

/**
 * The body of a message that could not be rendered. No sink makes such a body. The send stage gives
 * the message up.
 */
const UNRENDERED: Json = { chirpwatch_unrendered: true };
/**
 * The maximum number of events in a message of a sink that has neither lists nor a limit of its
 * own. It bounds the memory of the daemon and of the receiver.
 */
const EVENTS_AT_ONCE = 1_000;

/**
 * How many alerts are rendered before other work of the process may run. Each takes about a tenth
 * of a millisecond. A single part is rendered without a break, even if it has more alerts.
 */
const MAX_AT_ONCE = 50;

export const isUnrendered = (body: MessageBody): boolean =>
  typeof body === "object" && body !== null && "chirpwatch_unrendered" in body;

/** The messages of a group, all of them rendered. */
interface Rendered extends LaidOut {
  readonly parts: readonly DigestPart[];
}

/**
 * Renders a group. Between the parts of a long digest, other work of the process may run, because
 * rendering thousands of alerts takes a second.
 */
export async function layOut(
  deps: LayOutDeps,
  queue: SinkQueue,
  found: readonly OutboxEvent[],
  facts: Shown,
): Promise<Rendered> {
  try {
    const shown = withDigest(deps, found, facts);
    const { parts, unlisted } = layOutWhole(deps, queue, found, shown);
    // The message of a single event is not divided, and takes no time from other work.
    if (found.length < 2) return { parts: [...parts], unlisted };
    const limitBytes = queue.sizes.limitBytes();
    const first: Limited = { ...shown, noted: unlisted, limitBytes };
    return {
      parts: await inTurns(deps.clock, allFitted(deps, queue, parts, first)),
      unlisted,
    };
  } catch (error) {
    deps.log.error("a message could not be rendered", {
      sink: queue.name,
      events: found.length,
      error: errorText(error),
    });
    return { parts: [{ events: found, body: UNRENDERED }], unlisted: [] };
  }
}

/**
 * Divides the events of a message that is too large into two messages, and a part again if it is
 * known to be too large as well. `unlisted` are events that the message counts and does not list.
 */
export async function layOutHalves(
  deps: LayOutDeps,
  queue: SinkQueue,
  {
    listed,
    unlisted,
  }: { readonly listed: readonly OutboxEvent[]; readonly unlisted: readonly OutboxEvent[] },
  shown: Shown,
): Promise<readonly DigestPart[]> {
  try {
    const limitBytes = queue.sizes.refusedBytes - 1;
    const own = { ...withDigest(deps, listed, shown), noted: unlisted, limitBytes };
    return await inTurns(deps.clock, halves(deps, queue, inOrder(deps, listed, shown), own));
  } catch (error) {
    deps.log.error("a message could not be rendered", {
      sink: queue.name,
      events: listed.length,
      error: errorText(error),
    });
    return listed.map((event) => ({ events: [event], body: UNRENDERED }));
  }
}

/** Renders all parts. After every `MAX_AT_ONCE` alerts, other work of the process may run. */
async function inTurns(clock: Clock, parts: Iterable<DigestPart>): Promise<readonly DigestPart[]> {
  const rendered: DigestPart[] = [];
  let atOnce = 0;
  for (const part of parts) {
    rendered.push(part);
    atOnce += part.events.length;
    if (atOnce < MAX_AT_ONCE) continue;
    await sleep(clock, 0);
    atOnce = 0;
  }
  return rendered;
}

function layOutWhole(
  deps: LayOutDeps,
  queue: SinkQueue,
  found: readonly OutboxEvent[],
  shown: Shown,
): LaidOut {
  const { lists, batches } = queue.sink;
  const events = inOrder(deps, found, shown);
  if (lists !== undefined && isList(lists, events, shown))
    return layOutDigest(events, factsOf(deps, queue, shown), lists, digestDeps(deps, queue));
  const atOnce = Math.min(batches?.maxEvents ?? EVENTS_AT_ONCE, EVENTS_AT_ONCE);
  const parts =
    events.length > 0 && events.length <= atOnce
      ? layOutPart(deps, queue, events, shown)
      : batched(deps, queue, { events, atOnce }, shown);
  return { parts, unlisted: [] };
}

/** Adds the facts about a scheduled digest, if the sink has no lists. */
function withDigest(deps: LayOutDeps, events: readonly OutboxEvent[], shown: Shown): Shown {
  const { cause, period } = shown;
  if (cause !== "schedule" || period === undefined) return shown;
  return {
    ...shown,
    digest: { title: scheduledOf(deps, shown)?.title ?? titleOf(events), period },
  };
}

function* batched(
  deps: LayOutDeps,
  queue: SinkQueue,
  { events, atOnce }: { readonly events: readonly OutboxEvent[]; readonly atOnce: number },
  shown: Shown,
): Generator<DigestPart, void> {
  for (let at = 0; at < events.length; at += atOnce)
    yield* layOutPart(deps, queue, events.slice(at, at + atOnce), at === 0 ? shown : inner(shown));
}

/**
 * Whether the events are rendered as a list. A digest with a single event is rendered as that
 * event, unless alerts were left out of it or it is a scheduled digest, whose heading shows its
 * period.
 */
function isList(
  lists: SinkLists,
  events: readonly OutboxEvent[],
  { cause, deleted = 0 }: Shown,
): boolean {
  if (cause === undefined) return gatherPeople(events).length > lists.above;
  return cause === "schedule" || events.length > (deleted === 0 ? 1 : 0);
}

const factsOf = (deps: LayOutDeps, queue: SinkQueue, shown: Shown): ListFacts => {
  const { cause, series, deleted, period, mentions } = shown;
  return {
    cause,
    series,
    deleted,
    period,
    mentions,
    region: queue.region,
    actAt: queue.actAt,
    written: scheduledOf(deps, shown),
  };
};

const digestDeps = (deps: LayOutDeps, queue: SinkQueue): DigestDeps => ({
  read: (event) => deps.read(event, queue.name),
  listedAt: (events) => deps.listedAt(events),
});

const scheduledOf = (
  { digests }: LayOutDeps,
  { groupKey }: Pick<Shown, "groupKey">,
): SinkDigest | undefined => digests.get(scheduledDigestName(groupKey) ?? "");

/**
 * Returns the period of a scheduled digest; undefined for any other group. The period of a digest
 * that a mute held ends when the digest was due, not when the mute ended.
 */
export function periodOf(
  deps: LayOutDeps,
  {
    groupKey,
    members,
    dueAtMs,
    lastPeriod,
  }: Pick<Bundle, "groupKey" | "members" | "dueAtMs" | "lastPeriod">,
): { readonly name: string; readonly period: DigestPeriod } | undefined {
  const name = scheduledDigestName(groupKey);
  const timesMs = members.map(({ event }) => event.detectedAtMs);
  if (name === undefined || timesMs.length === 0) return undefined;
  const isHeld = groupKey !== digestGroup("schedule", name);
  const ownMs = isHeld
    ? scheduledOf(deps, { groupKey })?.nextAtMs(Math.max(...timesMs))
    : undefined;
  const toMs = Math.min(ownMs ?? Number.POSITIVE_INFINITY, dueAtMs ?? Math.max(...timesMs));
  return { name, period: periodAfter(lastPeriod, toMs, Math.min(...timesMs)) };
}

function inOrder(
  deps: LayOutDeps,
  events: readonly OutboxEvent[],
  shown: Shown,
): readonly OutboxEvent[] {
  const sorted = [...events].sort(shown.cause === undefined ? byDetection : byAge);
  return shown.cause === "schedule" ? sortItems(sorted, scheduledOf(deps, shown)?.sortBy) : sorted;
}

const byDetection = (a: OutboxEvent, b: OutboxEvent): number =>
  a.event.detectedAtMs - b.event.detectedAtMs;

/** The settings of a message. `noted` are events that the message counts and does not list. */
type Noted = Shown & { readonly noted?: readonly OutboxEvent[] };
type Limited = Noted & { readonly limitBytes: number };

/**
 * Returns the settings for every part but the first. Only the first part contains the mentions, so
 * that nobody is mentioned twice.
 */
const inner = <S extends Shown>({ series: _series, deleted: _deleted, ...shown }: S) => ({
  ...shown,
  mentions: [],
  noted: [],
});

function* allFitted(
  deps: LayOutDeps,
  queue: SinkQueue,
  parts: Iterable<DigestPart>,
  shown: Limited,
): Generator<DigestPart, void> {
  let own: Limited | undefined;
  for (const part of parts) {
    own = own === undefined ? shown : inner(shown);
    yield* fitted(deps, queue, part, own);
  }
}

/**
 * Returns the message itself if its size is allowed, otherwise its halves. A message with a single
 * event is not divided.
 */
function* fitted(
  deps: LayOutDeps,
  queue: SinkQueue,
  part: DigestPart,
  shown: Limited,
): Generator<DigestPart, void> {
  const limitBytes = Math.min(
    queue.sink.batches?.maxBytes ?? Number.POSITIVE_INFINITY,
    shown.limitBytes,
  );
  if (
    part.events.length < 2 ||
    limitBytes === Number.POSITIVE_INFINITY ||
    bodyBytes(part.body) <= limitBytes
  )
    yield part;
  else yield* halves(deps, queue, part.events, shown);
}

function* halves(
  deps: LayOutDeps,
  queue: SinkQueue,
  events: readonly OutboxEvent[],
  shown: Limited,
): Generator<DigestPart, void> {
  const middle = Math.ceil(events.length / 2);
  yield* allFitted(deps, queue, layOutPart(deps, queue, events.slice(0, middle), shown), shown);
  const rest = inner(shown);
  yield* allFitted(deps, queue, layOutPart(deps, queue, events.slice(middle), rest), rest);
}

function layOutPart(
  deps: LayOutDeps,
  queue: SinkQueue,
  events: readonly OutboxEvent[],
  shown: Noted,
): Iterable<DigestPart> {
  const { cause, mentions, digest, noted = [] } = shown;
  const { lists } = queue.sink;
  const read = (event: OutboxEvent) => deps.read(event, queue.name);
  if (lists !== undefined && isList(lists, events, shown)) {
    const { written, ...facts } = factsOf(deps, queue, shown);
    const note =
      noted.length === 0 ? undefined : { count: noted.length, where: deps.listedAt(noted) };
    const whole = {
      ...facts,
      note,
      noted,
      written: written && { ...written, maxItems: Number.POSITIVE_INFINITY },
    };
    return layOutDigest(events, whole, lists, digestDeps(deps, queue)).parts;
  }
  const isFollowUp = cause === "snooze" || events.every(({ event }) => isAfterAlert(event));
  const followUp = isFollowUp ? { isFollowUp } : {};
  return [
    {
      events,
      body: queue.sink.render({
        events,
        sample: false,
        cause,
        digest,
        mentions,
        actAt: queue.actAt,
        read,
        ...followUp,
      }),
    },
  ];
}
