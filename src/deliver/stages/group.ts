/**
 * The first delivery stage: loads the due deliveries of one sink from the outbox, and decides which
 * are sent alone, in a digest, or later.
 */
import {
  type DigestCause,
  type DigestPeriod,
  type DigestSeries,
  digestGroup,
  readDigestGroup,
} from "../../model/digest.ts";
import type { Clock } from "../../model/clock.ts";
import type {
  DueGroup,
  DueMember,
  DueMessage,
  Outbox,
  Overflow,
  SentMessage,
} from "../../model/outbox.ts";
import type { SilenceStore } from "../../model/silence.ts";
import type { Throttle } from "../../route/route.ts";
import { isBeforeProbe, freeSlotsOf, type SinkQueue } from "../queue/sink-queue.ts";
import { type SortedGroup, withoutWithheld } from "./follow-ups.ts";
import type { Stage } from "./stage.ts";
import type { DueWork, Mutes } from "./mute.ts";
import { planThrottle } from "./throttle.ts";

/** Deliveries that become one message or one digest. */
export interface Bundle {
  readonly groupKey: string;
  readonly throttleKey: string | null;
  readonly members: readonly DueMember[];
  /** Why the bundle becomes a digest; undefined if it becomes an ordinary message. */
  readonly cause: DigestCause | undefined;
  readonly series?: DigestSeries | undefined;
  /** When the last delivery in the bundle was due, in epoch ms. */
  readonly dueAtMs?: number | undefined;
  /** The period that the last digest of the same schedule covered. */
  readonly lastPeriod?: DigestPeriod | undefined;
  /** How many alerts were left out because their posts are deleted. */
  readonly deleted?: number;
  /** The message under which the digest of a snooze is posted. */
  readonly snoozedOn?: SentMessage | undefined;
}

/**
 * The deliveries that exceed a throttle and are gathered for a digest. If `isFirst` is true, the
 * channel gets a message that announces the digest.
 */
export type Surplus = Omit<Overflow, "announcement"> & { readonly isFirst: boolean };

export interface Claim {
  readonly queue: SinkQueue;
  /** Whether the breaker was open when the due work was loaded. */
  readonly isProbe: boolean;
  readonly messages: readonly DueMessage[];
  readonly bundles: readonly Bundle[];
  /**
   * The deliveries that exceed throttles. They are stored as gathered once the bundles are sealed.
   */
  readonly surplus: readonly Surplus[];
  /** Whether the outbox may contain more due deliveries. */
  readonly more: boolean;
}

/**
 * The number of deliveries that are loaded at once after a mute was found to hold some. Many of
 * them may be muted, and a larger number takes fewer rounds to postpone them.
 */
const MUTED_AT_ONCE = 200;

export interface GroupStageDeps {
  readonly store: Outbox & Pick<SilenceStore, "silenceDeliveries">;
  readonly clock: Clock;
  readonly throttles: ReadonlyMap<string, Throttle>;
  readonly mutes: Pick<Mutes, "withoutMuted">;
  /** Returns the id of the silence that holds the event back at a sink now; undefined if none does. */
  silenceOf(event: DueMember["joined"][number], sink: string): string | undefined;
}

export function createGroupStage(deps: GroupStageDeps): Stage<SinkQueue, Claim> {
  return {
    name: "group",
    async run(queue) {
      const nowMs = deps.clock.now();
      const room = freeSlotsOf(queue, deps.clock);
      // The breaker's state is read now, because the breaker may open before these messages are
      // sealed.
      const isProbe = queue.health.breaker === "open";
      // Request one more item than fits, because only an item after the last free slot shows that a
      // throttle is exceeded.
      const found = await unmutedWork(deps, queue, nowMs, room + 1);
      const outdated = found.messages.filter(({ isOutdated }) => isOutdated === true);
      if (outdated.length > 0) await deps.store.revertSealed(outdated.map(({ id }) => id));
      const unsilenced = await withoutSilenced(deps, found.groups);
      const due = { ...found, groups: await withoutWithheld(deps, queue.sink, unsilenced) };
      const messages = found.messages
        .filter((message) => !outdated.includes(message))
        .sort(byAge)
        .slice(0, room);
      const { bundles, surplus, isCut } = await allow(deps, {
        groups: due.groups,
        room: room - messages.length,
        nowMs,
        sink: queue.name,
      });
      // Bundles that may join a thread are only sealed in this round. They are sent in the next
      // round, when the store has assigned them to a thread.
      const isPlacedFirst = queue.sink.threads !== undefined && bundles.length > 0;
      const more =
        isPlacedFirst ||
        isCut ||
        outdated.length > 0 ||
        surplus.length > 0 ||
        found.groups.length + found.messages.length > room;
      return { queue, isProbe, messages, bundles, surplus, more };
    },
  };
}

/**
 * Loads due deliveries and messages that are not muted. If a mute holds some of them, it postpones
 * these and loads again, because there may be more behind them.
 */
async function unmutedWork(
  { store, mutes }: GroupStageDeps,
  queue: SinkQueue,
  nowMs: number,
  limit: number,
): Promise<DueWork> {
  for (let count = limit; ; count = Math.max(limit, MUTED_AT_ONCE)) {
    const { held, ...due } = await mutes.withoutMuted(
      queue.name,
      await dueWorkOf(store, queue, nowMs, count),
    );
    if (held === 0) return due;
  }
}

/**
 * Loads due deliveries and messages. While the breaker is open, each trial uses a message of a
 * different group, because a single message may be the reason why the sink fails.
 */
async function dueWorkOf(
  store: Outbox,
  queue: SinkQueue,
  nowMs: number,
  limit: number,
): ReturnType<Outbox["dueWork"]> {
  const dueBeside = (skipped: ReadonlySet<string>) =>
    store.dueWork({
      nowMs,
      sinks: [queue.name],
      busy: new Set([...queue.busy, ...skipped]),
      inHand: queue.inHand,
      limit,
    });
  if (queue.health.breaker === "closed" || queue.health.cause === "destination")
    return dueBeside(new Set());
  if (isBeforeProbe(queue, nowMs)) return dueBeside(queue.failedGroups);
  const others = await dueBeside(queue.probedGroups);
  if (others.groups.length + others.messages.length > 0) return others;
  queue.probedGroups.clear();
  return dueBeside(new Set());
}

/**
 * Silences deliveries that are not part of a message yet. A delivery is only silenced if it had to
 * wait, and if all events that it represents are silenced.
 */
async function withoutSilenced(
  { store, silenceOf }: GroupStageDeps,
  groups: readonly DueGroup[],
): Promise<readonly DueGroup[]> {
  const silenced = new Map<DueMember, string>();
  for (const { sink, members } of groups)
    for (const member of members) {
      const silenceId = member.canBeSilenced ? silenceOf(member.event, sink) : undefined;
      const isHeld = (event: DueMember["joined"][number]) => silenceOf(event, sink) !== undefined;
      if (silenceId !== undefined && member.joined.every(isHeld)) silenced.set(member, silenceId);
    }
  if (silenced.size === 0) return groups;
  await store.silenceDeliveries(
    [...silenced].map(([{ deliveryId }, silenceId]) => ({ deliveryId, silenceId })),
  );
  const left = groups.map((group) => ({
    ...group,
    members: group.members.filter((member) => !silenced.has(member)),
  }));
  return left.filter(({ members }) => members.length > 0);
}

/**
 * Compares messages, the oldest first. Of messages that were sealed at the same time, one that was
 * already attempted comes first, so that a pause does not change the order.
 */
const byAge = (a: DueMessage, b: DueMessage): number =>
  a.sealedAtMs - b.sealedAtMs ||
  Number(a.firstAttemptAtMs === null) - Number(b.firstAttemptAtMs === null);

interface Candidates {
  readonly sink: string;
  readonly groups: readonly SortedGroup[];
  /** The maximum number of bundles that may be made of these groups. */
  readonly room: number;
  readonly nowMs: number;
}

/**
 * The deliveries of one throttle, divided into those that may be sent now and those that exceed it.
 */
interface Allowed {
  readonly bundles: readonly Bundle[];
  readonly surplus: readonly Surplus[];
}

/**
 * Applies each throttle to its own bundles. The sink then gets the oldest of all allowed bundles,
 * as many as it has room for.
 */
async function allow(
  deps: GroupStageDeps,
  candidates: Candidates,
): Promise<Allowed & { readonly isCut: boolean }> {
  const all: Allowed[] = [];
  for (const throttleKey of new Set(candidates.groups.map((group) => group.throttleKey))) {
    const groups = candidates.groups.filter((group) => group.throttleKey === throttleKey);
    const throttle = throttleKey === null ? undefined : deps.throttles.get(throttleKey);
    all.push(
      throttleKey === null || throttle === undefined
        ? { bundles: groups.map(bundleOf), surplus: [] }
        : await paced(deps, throttle, throttleKey, { ...candidates, groups }),
    );
  }
  const inOrder = all.flatMap(({ bundles }) => bundles).sort((a, b) => oldestOf(a) - oldestOf(b));
  const bundles = inOrder.slice(0, Math.max(0, candidates.room));
  const cut = new Set(inOrder.slice(bundles.length));
  // An allowed bundle without a free slot is not sent yet, but counts against its throttle. So it
  // is too early to gather that throttle's surplus.
  const surplus = all.flatMap((one) =>
    one.bundles.some((bundle) => cut.has(bundle)) ? [] : one.surplus,
  );
  return { bundles, surplus, isCut: cut.size > 0 };
}

const oldestOf = ({ members }: Bundle): number => Number(members[0]?.deliveryId ?? 0);

async function paced(
  deps: GroupStageDeps,
  throttle: Throttle,
  throttleKey: string,
  candidates: Candidates,
): Promise<Allowed> {
  const { sink, nowMs } = candidates;
  const digestKey = digestGroup("throttle", throttleKey);
  const gathered = candidates.groups.find(({ groupKey }) => groupKey === digestKey);
  const [digests, fresh] = partition(
    candidates.groups,
    (group) => readDigestGroup(group.groupKey) !== undefined && group !== gathered,
  );
  const state = await deps.store.throttleState({
    sink,
    throttleKey,
    digestKey,
    sinceMs: nowMs - throttle.intervalMs,
  });
  const formerly = gathered === undefined ? [] : [gathered];
  const single = fresh.filter((group) => group !== gathered);
  const due = { fresh: single.length, gathered: ownBundles(formerly).length };
  const plan = planThrottle(
    throttle,
    { ...state, sealed: state.sealed + digests.length },
    due,
    nowMs,
  );
  // Gathered alerts are older than fresh ones. A gathered and a fresh alert of the same group share
  // one message.
  const [asDigest, alone] = plan.isDigest ? [formerly, []] : [[], formerly];
  const bundles = [
    ...[...digests, ...asDigest].map(bundleOf),
    ...ownBundles([...alone, ...single.slice(0, plan.alone)]),
  ];
  if (plan.gatherUntilMs === undefined) return { bundles, surplus: [] };
  return {
    bundles,
    surplus: [
      {
        sink,
        throttleKey,
        nowMs,
        digestKey,
        digestDueAtMs: plan.gatherUntilMs,
        isFirst: plan.isFirst,
      },
    ],
  };
}

function partition<T>(
  items: readonly T[],
  test: (item: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

const bundleOf = ({
  groupKey,
  throttleKey,
  members,
  series,
  dueAtMs,
  lastPeriod,
  deleted,
  snoozedOn,
}: SortedGroup): Bundle => ({
  groupKey,
  throttleKey,
  members,
  dueAtMs,
  lastPeriod,
  ...(deleted > 0 && { deleted }),
  ...(snoozedOn === undefined ? {} : { snoozedOn }),
  series,
  cause: readDigestGroup(groupKey)?.cause,
});

/**
 * Divides gathered alerts into their original groups, because they are sent as ordinary messages.
 */
function ownBundles(groups: readonly DueGroup[]): readonly Bundle[] {
  const bundles = new Map<string, Bundle & { readonly members: DueMember[] }>();
  for (const { groupKey: dueKey, throttleKey, members } of groups)
    for (const member of members) {
      const groupKey = member.originalGroupKey ?? dueKey;
      const bundle = bundles.get(groupKey) ?? {
        groupKey,
        throttleKey,
        members: [],
        cause: undefined,
      };
      bundle.members.push(member);
      bundles.set(groupKey, bundle);
    }
  return [...bundles.values()];
}
