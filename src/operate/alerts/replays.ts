/**
 * Previews and sends the alerts that an operator wants to send again. A running daemon uses this
 * code, and so does a command if no daemon runs.
 */
import type { Config } from "../../config/config.ts";
import { isoTime } from "../../model/clock.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { NewDelivery } from "../../model/poll-store.ts";
import type { ReplayCandidate, ReplayStore } from "../../model/replay.ts";
import type { History } from "../../model/history.ts";
import type { RecheckStore } from "../../model/recheck.ts";
import { onceOf } from "../../route/noise.ts";
import { onceAt, type SinkFacts } from "../../route/route-event.ts";
import type {
  ReplayedSink,
  ReplayRecordsView,
  ReplayRequest,
  ReplayView,
} from "../../server/schema/replay-view.ts";
import { sinkFactsOf } from "./create-sink.ts";

export type ReplayParts = ReplayStore &
  Pick<History, "findEvents"> &
  Pick<RecheckStore, "eventsById">;

const AT_ONCE = 1_000;
const AUDIT_READ = 1_000;

interface ReplayPlan {
  readonly view: ReplayView;
  readonly deliveryIds: readonly string[];
  /** Deliveries that wait for a later time and are sent now instead. */
  readonly releasedIds: readonly string[];
  readonly added: readonly NewDelivery[];
}

export const previewReplay = async (
  store: ReplayParts,
  config: Config,
  request: ReplayRequest,
  nowMs: number,
): Promise<ReplayView> => (await planReplay(store, config, request, nowMs)).view;

/** Sends the alerts again and returns how many there are. */
export async function replayAlerts(
  store: ReplayParts,
  config: Config,
  request: ReplayRequest,
  nowMs: number,
): Promise<{ readonly alerts: number }> {
  const { deliveryIds, releasedIds, added } = await planReplay(store, config, request, nowMs);
  const { what, sink, by } = request;
  const asked = "eventId" in what ? { eventId: what.eventId } : { since: isoTime(what.sinceMs) };
  const alerts = await store.replay({
    deliveryIds,
    releasedIds,
    added,
    atMs: nowMs,
    detail: { ...asked, sink: sink ?? null, by },
  });
  return { alerts };
}

async function planReplay(
  store: ReplayParts,
  config: Config,
  { what, sink }: ReplayRequest,
  nowMs: number,
): Promise<ReplayPlan> {
  const all = await store.findReplayable(what);
  const wanted = all.filter((one) => sink === undefined || one.sink === sink);
  const isOne = "eventId" in what;
  const chosen = wanted.filter(({ fate }) => fate === "done" || (isOne && fate !== "under_way"));
  const underWay = wanted.filter(({ fate }) => fate === "under_way");
  // An operator who names a single alert wants it sent now, regardless of what it waits for.
  const released = isOne
    ? underWay.filter(({ wait }) => wait !== null && wait.untilMs > nowMs)
    : [];
  const facts = sinkFactsOf(config.sinks);
  const { added, events } =
    sink === undefined
      ? { added: [], events: new Set<string>() }
      : await addTo(store, { sink, facts, what, all, chosen, nowMs });
  const eventIds = new Set([...all.map(({ eventId }) => eventId), ...events]);
  const found =
    isOne && eventIds.size === 0 ? (await store.eventsById([what.eventId])).length : eventIds.size;
  return {
    deliveryIds: chosen.filter((one) => facts.has(one.sink)).map(({ deliveryId }) => deliveryId),
    releasedIds: [
      ...new Set(released.flatMap(({ wait }) => (wait === null ? [] : [wait.deliveryId]))),
    ],
    added,
    view: {
      events: found,
      alerts: countBySink([...chosen, ...released, ...added], facts),
      under_way: underWay.length - released.length,
      silenced: isOne ? 0 : wanted.filter(({ fate }) => fate === "silenced").length,
    },
  };
}

function countBySink(
  deliveries: readonly (Pick<ReplayCandidate, "reachesAgain"> & { readonly sink: string })[],
  facts: ReadonlyMap<string, SinkFacts>,
): readonly ReplayedSink[] {
  const counts = new Map<string, number>();
  const again = new Map<string, number>();
  for (const { sink, reachesAgain } of deliveries) {
    counts.set(sink, (counts.get(sink) ?? 0) + 1);
    if (reachesAgain === true) again.set(sink, (again.get(sink) ?? 0) + 1);
  }
  return [...counts].map(([sink, alerts]) => {
    const repeated = again.get(sink);
    const configured = facts.has(sink);
    return { sink, alerts, configured, ...(repeated && { reach_again: repeated }) };
  });
}

interface Addition {
  readonly sink: string;
  readonly facts: ReadonlyMap<string, SinkFacts>;
  readonly what: ReplayRequest["what"];
  readonly all: readonly ReplayCandidate[];
  readonly chosen: readonly ReplayCandidate[];
  readonly nowMs: number;
}

/**
 * Returns deliveries to a sink that the events were never routed to. If the sink leaves out
 * duplicates, each fact gets one delivery, however many watches found it.
 */
async function addTo(store: ReplayParts, { sink, facts, what, all, chosen, nowMs }: Addition) {
  const own = facts.get(sink);
  const candidates = await eventsOf(store, what, all);
  const there = new Set(all.filter((one) => one.sink === sink).map(({ eventId }) => eventId));
  const chosenIds = new Set(chosen.map(({ eventId }) => eventId));
  const named = new Set<string>();
  const added: NewDelivery[] = [];
  for (const event of candidates) {
    const once = own === undefined ? undefined : onceAt(event, own).once;
    // Only the same fact counts as a duplicate. Events that are merely alike (by the same author,
    // or with the same words) are sent, because the operator asked for them.
    const fact = once === undefined ? undefined : (onceOf(event) ?? once).key;
    const isNamed = fact !== undefined && named.has(fact);
    const isChosen = chosenIds.has(event.id);
    if (fact !== undefined && (isChosen || !there.has(event.id))) named.add(fact);
    if (own === undefined || isNamed || there.has(event.id)) continue;
    added.push({
      eventId: event.id,
      sink,
      routed: { by: "replay" },
      groupKey: event.id,
      groupWaitMs: 0,
      groupIntervalMs: 0,
      notBeforeMs: nowMs,
      once,
      ...(own.throttle === undefined ? {} : { throttleKey: `sink:${sink}` }),
    });
  }
  return { added, events: new Set(candidates.map(({ id }) => id)) };
}

/**
 * Returns the events, oldest first. If the operator named a time, only events of watches are
 * included, not those of the daemon.
 */
async function eventsOf(
  store: ReplayParts,
  what: ReplayRequest["what"],
  all: readonly ReplayCandidate[],
): Promise<readonly ChirpEvent[]> {
  if ("eventId" in what) return store.eventsById([what.eventId]);
  const events = new Map<string, ChirpEvent>();
  let before: string | undefined;
  do {
    const page = await store.findEvents({
      sinceMs: what.sinceMs,
      limit: AT_ONCE,
      before,
    });
    for (const { event } of page.events) if (event.watchKey !== "") events.set(event.id, event);
    before = page.next ?? undefined;
  } while (before !== undefined);
  const older = all.map(({ eventId }) => eventId).filter((id) => !events.has(id));
  for (const event of await store.eventsById([...new Set(older)])) events.set(event.id, event);
  return [...events.values()].sort((a, b) => a.detectedAtMs - b.detectedAtMs);
}

/** Returns what operators sent again within the retention, newest first. */
export async function readReplays(
  store: Pick<ReplayStore, "auditRecords">,
): Promise<ReplayRecordsView> {
  const records = (await store.auditRecords(AUDIT_READ)).filter(
    ({ action }) => action === "backfill" || action.startsWith("replay "),
  );
  return {
    replays: records.map(({ id, atMs, action, detail }) => ({
      id,
      at: isoTime(atMs),
      action,
      detail,
    })),
  };
}
