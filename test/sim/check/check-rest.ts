/**
 * Checks that once nothing fails any more, everything comes to rest within a time that follows from
 * the scenario. Nothing due remains, no readable gap remains, every part of the work makes
 * progress, every replica works, and the status agrees with the state.
 */
import type { JsonObject } from "../../../src/model/json.ts";
import { ENOUGH_REQUESTS } from "../draw/draw-config.ts";
import type { Played } from "../run/simulate.ts";
import type { Evidence } from "./evidence.ts";
import { isBehindHeld } from "./outbox.ts";

const SECOND = 1_000;
const MIN_MS = 60 * SECOND;
/** The time that replicas need to take over, to hand over, and to do late work. */
const SETTLE_MS = 2 * MIN_MS;
/** A gap may stay unchanged over this many polls of its feed, because newer posts come first. */
const GAP_POLLS = 12;
/** The longest pause between two attempts at whatever failed. */
const LONGEST_REST_MS = 70 * MIN_MS;

export function checkRest(evidence: Evidence): readonly string[] {
  const { played, isClockSet } = evidence;
  if (played.scenario.mode !== "liveness" || isClockSet || played.endMs < restMs(evidence))
    return [];
  return [
    ...checkTimers(evidence),
    ...checkGaps(evidence),
    ...checkClaims(evidence),
    ...checkReplicas(evidence),
    ...checkAnnouncements(evidence),
    ...checkWatches(evidence),
  ];
}

/**
 * Returns the time from which everything must be at rest: the last fault and its backoff are over,
 * and the work it left is done.
 */
function restMs({ played: { scenario, lives } }: Evidence): number {
  const { startMs, busyMs } = scenario;
  const lastMs = Math.max(
    startMs + busyMs,
    ...lives.flatMap(({ fromMs, stalls }) => [fromMs, ...stalls.map(({ toMs }) => toMs)]),
  );
  return lastMs + SETTLE_MS;
}

/**
 * Checks the timers. A sink, an enrichment or a service that failed is tried again after growing
 * pauses.
 */
function checkTimers({ played, outbox, finalRules }: Evidence): readonly string[] {
  const { left, endMs } = played;
  const beforeMs = endMs - LONGEST_REST_MS;
  const groups = left.groups.filter(
    ({ sink, dueAtMs }) => finalRules.sinks.has(sink) && dueAtMs !== null && dueAtMs < beforeMs,
  );
  const isWaiting = (sink: string, groupKey: string) =>
    outbox.alerts.some(
      (alert) =>
        alert.row.sink === sink &&
        alert.row.groupKey === groupKey &&
        !isBehindHeld(alert, outbox, endMs),
    );
  return [
    ...groups
      .filter(({ sink, groupKey }) => isWaiting(sink, groupKey))
      .map(
        ({ sink, groupKey, dueAtMs }) =>
          `the timer of ${JSON.stringify(groupKey)} of ${sink} lies ${ago(dueAtMs ?? 0, endMs)} back`,
      ),
    ...left.timers
      .filter(({ dueAtMs }) => dueAtMs < beforeMs)
      .map(({ what, dueAtMs }) => `${what} is due for ${ago(dueAtMs, endMs)}`),
  ];
}

/** Announcements this frequent are far more than people, reloads and dead letters cause. */
const ANNOUNCED_EVERY_MS = 5 * SECOND;

/** Checks for endless announcements, in which replicas answer each other. */
const checkAnnouncements = ({ played: { left, endMs, scenario } }: Evidence): readonly string[] =>
  left.announcements <= (endMs - scenario.startMs) / ANNOUNCED_EVERY_MS
    ? []
    : [`replicas announced ${left.announcements} times that something has changed`];

const ago = (atMs: number, endMs: number): string => `${Math.round((endMs - atMs) / MIN_MS)} min`;

/**
 * Checks that gaps close. Feeds that are no longer read are left out, because nothing closes their
 * gaps.
 */
function checkGaps({ played, finalRules }: Evidence): readonly string[] {
  const { left, endMs, scenario } = played;
  if (scenario.keys.some(({ quota }) => quota < ENOUGH_REQUESTS)) return [];
  const slowestMs = Math.max(0, ...[...finalRules.watches.values()].map(({ gapMs }) => gapMs));
  const mostMs = GAP_POLLS * slowestMs + SETTLE_MS;
  return left.gaps
    .filter(
      ({ polledAtMs, shrunkAtMs }) =>
        polledAtMs > endMs - 2 * slowestMs - MIN_MS && shrunkAtMs < endMs - mostMs,
    )
    .map(
      ({ feed, shrunkAtMs }) =>
        `a gap of the feed ${feed} stays as it was ${ago(shrunkAtMs, endMs)} ago`,
    );
}

/** Checks that every part of the work belongs to an existing replica and is to stay there. */
function checkClaims({ played: { left, scenario } }: Evidence): readonly string[] {
  if (scenario.replicas === undefined) return [];
  return left.claims
    .filter(
      ({ replica, wanted }) =>
        replica === null || replica !== wanted || !left.replicas.some(({ id }) => id === replica),
    )
    .map(
      ({ kind, key, replica, wanted }) =>
        `${kind} ${key} is with ${replica ?? "nobody"}, and is to be with ${wanted}`,
    );
}

/**
 * Checks that every running daemon is a known replica, says so, and has its share, and that all of
 * them give the same list.
 */
function checkReplicas({ played }: Evidence): readonly string[] {
  const { left, scenario, lives, statuses } = played;
  const running = lives.filter(({ toMs }) => toMs >= played.endMs).length;
  if (scenario.replicas === undefined) return [];
  const objections =
    left.replicas.length === running
      ? []
      : [`${running} daemons run, and the state has ${left.replicas.length} replicas`];
  const shown = left.replicas.flatMap(({ id, leads }) => (leads === 1 ? [id] : []));
  if (played.leader !== undefined && shown.join() !== played.leader)
    objections.push(
      `${played.leader} leads, and the state says that ${shown.join() || "nobody"} does`,
    );
  if (statuses.length !== running)
    objections.push(`${running} daemons run, and ${statuses.length} answer`);
  const views = statuses.map((status) => status["replicas"] as readonly JsonObject[]);
  for (const one of views) {
    if (one.length !== running)
      objections.push(`${running} daemons run, and one says that there are ${one.length}`);
    if (one.filter(({ leads }) => leads === true).length !== 1)
      objections.push("not one of the replicas leads");
    const idle = one.filter(({ shares }) => shares !== true);
    if (idle.length > 0) objections.push(`${idle.length} replicas have no share`);
  }
  for (const status of statuses)
    if (status["unclaimed"] !== null)
      objections.push(`nobody does a part of the work: ${JSON.stringify(status["unclaimed"])}`);
  return objections;
}

/** Checks that a replica polls every watch: it did so recently and will do so soon. */
function checkWatches({ played, finalRules }: Evidence): readonly string[] {
  const { statuses, endMs, scenario } = played;
  if (scenario.keys.some(({ quota }) => quota < ENOUGH_REQUESTS)) return [];
  return statuses.flatMap((status) =>
    (status["watches"] as readonly JsonObject[]).flatMap((watch): readonly string[] => {
      const rules = finalRules.watches.get(watch["id"] as string);
      const isRead = (watch["targets"] as readonly JsonObject[]).every(
        ({ status: of }) => of === "ok",
      );
      if (
        rules?.isEnabled !== true ||
        watch["paused"] === true ||
        !isRead ||
        watch["slowed"] !== null
      )
        return [];
      const isElsewhere = (watch["polled_by"] as readonly string[]).length > 0;
      const nextMs = timeOf(watch["next_poll_at"]);
      const lateMs = endMs - (nextMs ?? endMs);
      if (lateMs > SETTLE_MS)
        return [`${rules.id} is to be polled since ${Math.round(lateMs / SECOND)} s`];
      // A watch that failed is polled again within this time.
      if (-lateMs > Math.max(2 * rules.gapMs, LONGEST_REST_MS))
        return [`${rules.id} is put off for ${ago(endMs, nextMs ?? endMs)}`];
      return nextMs === undefined && !isElsewhere && !isPolling(played, rules.gapMs)
        ? [`nobody is to poll ${rules.id}`]
        : [];
    }),
  );
}

const timeOf = (text: unknown): number | undefined =>
  typeof text === "string" ? Date.parse(text) : undefined;

/** Whether a poll is in progress. A watch has no next poll then. */
const isPolling = ({ asked, endMs }: Played, withinMs: number): boolean =>
  asked.some(({ atMs }) => atMs > endMs - withinMs);
