/**
 * Sends scheduled digests for periods without alerts, if `when_empty` is `say`. Digests with alerts
 * are sent by the stages.
 */
import type { Clock } from "../model/clock.ts";
import { digestGroup, type DigestPeriod } from "../model/digest.ts";
import { newMessageId } from "../model/message-id.ts";
import type { Outbox } from "../model/outbox.ts";
import type { Random } from "../model/random.ts";
import type { BatchDigest, MessageBody } from "../model/sink.ts";
import { lastTimeBefore } from "../schedule/misfire.ts";
import type { SinkDigest } from "../route/scheduled-digest.ts";
import type { LoopTurn } from "./queue/loop.ts";
import type { SinkQueue } from "./queue/sink-queue.ts";

export interface EmptyDigestDeps {
  readonly store: Pick<Outbox, "digestPeriod" | "beginDigests" | "hasDueDigest" | "seal">;
  readonly clock: Clock;
  readonly random: Random;
  /** The scheduled digests, by name. */
  readonly digests: ReadonlyMap<string, SinkDigest>;
  /** Lets the workers check the outbox. Called when a digest was sealed. */
  wake(): void;
}

/**
 * How long after its time an empty digest is sealed. A poll that was routed right before that time
 * may be committed a little later.
 */
const GRACE_MS = 5_000;
/** The wait before the next check while the digest has due alerts that are not sealed yet. */
const RECHECK_MS = 1_000;

/**
 * Returns a loop turn that sends the empty digests of a sink; undefined if the sink has no digest
 * with `when_empty: say`.
 */
export function emptyDigestsOf(deps: EmptyDigestDeps, queue: SinkQueue): LoopTurn | undefined {
  const own = [...deps.digests].filter(
    ([, { sink, whenEmpty }]) => sink === queue.name && whenEmpty === "say",
  );
  if (own.length === 0) return undefined;
  return async () => {
    const waits: number[] = [];
    for (const [name, digest] of own) waits.push(await turnOf(deps, queue, name, digest));
    return Math.min(...waits);
  };
}

/**
 * Seals the digest if it is due and empty. Returns in how many milliseconds to call this function
 * again.
 */
async function turnOf(
  deps: EmptyDigestDeps,
  queue: SinkQueue,
  name: string,
  digest: SinkDigest,
): Promise<number> {
  const { store, clock } = deps;
  const nowMs = clock.now();
  await store.beginDigests(queue.name, name, nowMs);
  const last = await store.digestPeriod(queue.name, name);
  const fromMs = last?.toMs ?? nowMs;
  const dueAtMs = digest.nextAtMs(fromMs);
  if (dueAtMs + GRACE_MS > nowMs) return dueAtMs + GRACE_MS - nowMs;
  if (await store.hasDueDigest(queue.name, name, nowMs)) return RECHECK_MS;
  await seal(deps, queue, {
    name,
    digest,
    period: { fromMs, toMs: lastTimeBefore(digest.nextAtMs, dueAtMs, nowMs) },
  });
  return 0;
}

interface Empty {
  readonly name: string;
  readonly digest: SinkDigest;
  readonly period: DigestPeriod;
}

async function seal(
  { store, clock, random, wake }: EmptyDigestDeps,
  queue: SinkQueue,
  { name, digest, period }: Empty,
): Promise<void> {
  const body = bodyOf(queue, { title: digest.title ?? "Digest", period });
  if (body === undefined) return;
  const sealedAtMs = clock.now();
  await store.seal([
    {
      id: newMessageId(random, sealedAtMs),
      sink: queue.name,
      sealedFor: queue.type,
      groupKey: digestGroup("schedule", name),
      sealedAtMs,
      body,
      deliveryIds: [],
      throttleKey: null,
      digest: { name, period },
    },
  ]);
  wake();
}

/** Returns a message that has no alerts. */
function bodyOf({ sink, region }: SinkQueue, digest: BatchDigest): MessageBody | undefined {
  const read = () => {
    throw new Error("an empty digest reads no event");
  };
  if (sink.lists === undefined)
    return sink.render({ events: [], sample: false, cause: "schedule", digest, read });
  const [part] = sink.lists.render({
    cause: "schedule",
    ...digest,
    region,
    counts: new Map(),
    sections: [],
    unlisted: undefined,
    read,
  });
  return part?.body;
}
