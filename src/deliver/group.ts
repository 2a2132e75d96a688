/** First stage: takes due work of one sink from the outbox and decides what goes out alone, as a digest, or later. */
import type { Clock } from "../model/clock.ts";
import type { DueGroup, DueMessage, Outbox } from "../model/outbox.ts";
import type { Throttle } from "../route/route.ts";
import { roomOf, type Lane } from "./lane.ts";
import type { Stage } from "./stage.ts";
import { historySince, planThrottle } from "./throttle.ts";

/** Groups that become one message. */
export interface Bundle {
  readonly groups: readonly DueGroup[];
  readonly throttleKey: string | null;
  readonly digest: boolean;
}

export interface Claim {
  readonly lane: Lane;
  readonly messages: readonly DueMessage[];
  readonly bundles: readonly Bundle[];
  /** The outbox may hold more that is due. */
  readonly more: boolean;
}

export interface GroupDeps {
  readonly store: Outbox;
  readonly clock: Clock;
  readonly throttles: ReadonlyMap<string, Throttle>;
}

/** At one read of a throttled sink: enough for one digest of everything that was put off. */
const DIGEST_GROUPS = 2_000;

export function createGroupStage(deps: GroupDeps): Stage<Lane, Claim> {
  return {
    name: "group",
    async run(lane) {
      const nowMs = deps.clock.now();
      const room = roomOf(lane, nowMs);
      if (room === 0) return { lane, messages: [], bundles: [], more: false };
      const limit = isThrottled(lane, deps.throttles) ? Math.max(room, DIGEST_GROUPS) : room;
      const due = await deps.store.dueWork({ nowMs, sinks: [lane.name], busy: lane.busy, limit });
      const messages = [...due.messages].sort(byAge).slice(0, room);
      const allowed = await allow(deps, due.groups, nowMs);
      const bundles = allowed.slice(0, room - messages.length);
      const more =
        due.groups.length + due.messages.length >= limit || bundles.length < allowed.length || messages.length < due.messages.length;
      return { lane, messages, bundles, more };
    },
  };
}

/** Oldest first; of those sealed together the one that was tried already, so that a pause does not change the order. */
const byAge = (a: DueMessage, b: DueMessage): number =>
  a.sealedAtMs - b.sealedAtMs || Number(a.firstAttemptAtMs === null) - Number(b.firstAttemptAtMs === null);

const isThrottled = (lane: Lane, throttles: ReadonlyMap<string, Throttle>): boolean =>
  [...throttles.keys()].some((key) => key === `sink:${lane.name}` || (key.startsWith("route:") && key.endsWith(`:${lane.name}`)));

async function allow(deps: GroupDeps, groups: readonly DueGroup[], nowMs: number): Promise<readonly Bundle[]> {
  const bundles: Bundle[] = [];
  for (const throttleKey of new Set(groups.map((group) => group.throttleKey))) {
    const members = groups.filter((group) => group.throttleKey === throttleKey);
    const throttle = throttleKey === null ? undefined : deps.throttles.get(throttleKey);
    if (throttleKey === null || throttle === undefined) bundles.push(...members.map(alone));
    else bundles.push(...(await paced(deps, throttleKey, throttle, members, nowMs)));
  }
  return bundles;
}

async function paced(
  deps: GroupDeps,
  throttleKey: string,
  throttle: Throttle,
  groups: readonly DueGroup[],
  nowMs: number,
): Promise<readonly Bundle[]> {
  const sealedAtMs = await deps.store.sealedSince(throttleKey, historySince(groups, throttle, nowMs));
  const plan = planThrottle(groups, throttle, sealedAtMs, nowMs);
  const deliveryIds = plan.later.flatMap((group) => group.members.map((member) => member.deliveryId));
  if (deliveryIds.length > 0) await deps.store.postpone(deliveryIds, plan.untilMs);
  // The digest goes first: it is older than what came since.
  const digest = plan.digest.length === 0 ? [] : [{ groups: plan.digest, throttleKey, digest: true }];
  return [...digest, ...plan.alone.map(alone)];
}

const alone = (group: DueGroup): Bundle => ({ groups: [group], throttleKey: group.throttleKey, digest: false });
