/**
 * Repeats threshold alerts while their values stay beyond the threshold, and resolves them when the
 * values are back to normal, for sinks that want this. The poll that finds a value back to normal
 * commits the "resolved" message itself. The timer in this file sends the repeats.
 */
import { repeat } from "../../engine/health/repeat.ts";
import type { Cancel } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import { groupBy } from "../../model/group-by.ts";
import type { LevelFollowUps } from "../../model/level-follow-ups.ts";
import type { LevelStore, OpenLevel } from "../../model/level.ts";
import type { Log } from "../../model/log.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { Poll } from "../../plan/poll.ts";
import { thresholdState } from "../../route/level.ts";
import { endOf, type FollowUpParts, followUpsOf } from "./level-follow-ups.ts";

export interface LevelsDeps extends FollowUpParts {
  readonly store: LevelStore & Pick<PollStore, "commitPoll" | "loadSources">;
  readonly log: Log;
  readonly polls: () => readonly Poll[];
  /** Called after follow-ups were committed. */
  wakeDelivery(): void;
}

const CHECK_EVERY_MS = 30_000;

/** Starts the timer. Returns a function that stops it. */
export function startLevels(deps: LevelsDeps): Cancel {
  const { clock, log } = deps;
  return repeat({
    clock,
    everyMs: CHECK_EVERY_MS,
    work: () => checkLevels(deps),
    onError: (error) =>
      log.error("threshold alerts could not be repeated or resolved", { error: errorText(error) }),
  });
}

async function checkLevels(deps: LevelsDeps): Promise<void> {
  const { store } = deps;
  const open = await store.openLevels();
  for (const levels of groupBy(open, ({ event }) => event.id).values()) {
    const states = new Map(levels.map((level) => [level, thresholdState(level)]));
    const ended = levels.filter((level) => states.get(level)?.kind === "ended");
    for (const level of ended) await store.closeLevel(level);
    // A poll resolves its alerts itself. Only alerts that an older release left open are resolved
    // here.
    await commit(deps, endOf(levels, deps));
    await repeatAlerts(
      deps,
      levels.filter((level) => states.get(level)?.kind === "crossed"),
    );
  }
}

async function commit(
  { store, clock, log, wakeDelivery }: LevelsDeps,
  followUps: LevelFollowUps,
): Promise<void> {
  if (followUps.levels.length === 0) return;
  const { events } = followUps;
  const { status } = await store.commitPoll({
    atMs: clock.now(),
    targets: [],
    verdicts: [],
    ...followUps,
  });
  if (status === "conflict") return;
  for (const { id, type, body } of events)
    log.info("threshold alert repeated or resolved", {
      event: id,
      type,
      repeat: body["repeat"] ?? "ends",
    });
  wakeDelivery();
}

/**
 * Sends the repeats that are due. A later repeat replaces one that still waits, so at most one
 * waits. A repeat is only sent after the first alert was sent, and after a poll has found the value
 * beyond the threshold again.
 */
async function repeatAlerts(deps: LevelsDeps, levels: readonly OpenLevel[]): Promise<void> {
  const nowMs = deps.clock.now();
  const due = levels.filter((level) => isRepeatDue(level, nowMs));
  for (const alike of groupBy(due, ({ repeats }) => String(repeats)).values()) {
    const [first] = alike;
    if (first === undefined) continue;
    const asOfMs = await lastPollOf(first, deps);
    const polled = alike.filter(({ lastAtMs }) => asOfMs > lastAtMs);
    const state = thresholdState(first);
    if (state.kind !== "crossed" || polled.length === 0) continue;
    const mark = { repeat: first.repeats + 1, names: state.names, asOfMs };
    await commit(
      deps,
      followUpsOf(polled, mark, deps, ({ repeatMs }) => repeatMs !== undefined),
    );
  }
}

function isRepeatDue(
  { nextAtMs, lastAtMs, isPolled, isSent, isWaiting, doneAtMs, lastRepeat }: OpenLevel,
  nowMs: number,
): boolean {
  if (
    nextAtMs === null ||
    nextAtMs > nowMs ||
    !isPolled ||
    !isSent ||
    isWaiting ||
    lastRepeat?.state === "sealed"
  )
    return false;
  // The wait for the first repeat is counted from the time at which the sink accepted the alert.
  return lastRepeat !== undefined || doneAtMs === null || doneAtMs + (nextAtMs - lastAtMs) <= nowMs;
}

/**
 * Returns when the last successful poll of the alert's target began; 0 if no poll has succeeded.
 */
async function lastPollOf(
  { event, targetKey }: OpenLevel,
  { store, polls }: LevelsDeps,
): Promise<number> {
  const all = polls().flatMap((poll) => [poll, ...(poll.group?.members ?? [])]);
  const own = all.filter(({ subscribers }) =>
    subscribers.some((one) => one.watchKey === event.watchKey && one.targetKey === targetKey),
  );
  if (own.length === 0) return 0;
  const sources = await store.loadSources([...new Set(own.map(({ key }) => key))]);
  return Math.max(0, ...sources.map(({ lastOkAtMs }) => lastOkAtMs ?? 0));
}
