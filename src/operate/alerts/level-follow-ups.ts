/**
 * Creates the follow-ups of threshold alerts: decides which sinks get them and whether the alerts
 * end. Commits nothing.
 */
import type { Clock } from "../../model/clock.ts";
import { groupBy } from "../../model/group-by.ts";
import type { Hash } from "../../model/hash.ts";
import type { FollowLevels, LevelFollowUps } from "../../model/level-follow-ups.ts";
import type { LevelOptions, LevelStep, LevelStore, OpenLevel } from "../../model/level.ts";
import { followUp, type FollowUpMark, thresholdState } from "../../route/level.ts";
import type { ActiveWatches } from "./active-watches.ts";
import type { Routing } from "./routing.ts";

/** The parts that create and route a follow-up. */
export interface FollowUpParts {
  readonly clock: Clock;
  readonly hash: Hash;
  readonly routing: () => Pick<Routing, "routeFollowUp">;
  readonly active: Pick<ActiveWatches, "watchOf">;
}

/**
 * Creates the function that resolves threshold alerts when a poll finds their values back to
 * normal. The poll commits the result in its own transaction.
 */
export function createFollowLevels(
  deps: FollowUpParts & { readonly store: Pick<LevelStore, "openLevels"> },
): FollowLevels {
  return async (changes) => {
    const remembered = changes.filter(({ memory }) => memory !== undefined && "across" in memory);
    if (remembered.length === 0) return NONE;
    const open = await deps.store.openLevels([
      ...new Set(remembered.map(({ watchKey }) => watchKey)),
    ]);
    const found = open.flatMap((level) => {
      const change = remembered.find(
        ({ watchKey, targetKey }) =>
          watchKey === level.event.watchKey && targetKey === level.targetKey,
      );
      return change?.memory === undefined ? [] : [{ ...level, memory: change.memory }];
    });
    const ends = [...groupBy(found, ({ event }) => event.id).values()].map((levels) =>
      endOf(levels, deps),
    );
    return {
      events: ends.flatMap(({ events }) => events),
      deliveries: ends.flatMap(({ deliveries }) => deliveries),
      levels: ends.flatMap(({ levels }) => levels),
    };
  };
}

const NONE: LevelFollowUps = { events: [], deliveries: [], levels: [] };

/** Ends an alert at several sinks. A sink that never got the alert gets no "resolved" message. */
export function endOf(levels: readonly OpenLevel[], parts: FollowUpParts): LevelFollowUps {
  const [first] = levels;
  const state = first === undefined ? undefined : thresholdState(first);
  if (state?.kind !== "resolved") return NONE;
  const mark = { names: state.names, asOfMs: parts.clock.now() };
  return followUpsOf(levels, mark, parts, ({ sendResolved }) => sendResolved === true);
}

/**
 * Creates one follow-up, a repeat or a "resolved" message, for all sinks that want it. If no sink
 * wants it, no event is created, but the alert is still closed or scheduled again.
 */
export function followUpsOf(
  levels: readonly OpenLevel[],
  mark: Omit<FollowUpMark, "sinks">,
  { clock, hash, routing, active }: FollowUpParts,
  isWanted: (options: LevelOptions) => boolean,
): LevelFollowUps {
  const [first] = levels;
  if (first === undefined) return NONE;
  const nowMs = clock.now();
  const ownSinks = active.watchOf(first.event.watchKey)?.sinks;
  const event = followUp(
    first,
    { ...mark, sinks: levels.map(({ sink }) => sink) },
    { hash, nowMs },
  );
  const routed = levels.map((level) => ({
    level,
    to:
      ownSinks === undefined || !level.isSent
        ? undefined
        : routing().routeFollowUp(level, event, ownSinks, nowMs),
  }));
  const deliveries = routed.flatMap(({ to }) =>
    to !== undefined && isWanted(to.options) ? [to.delivery] : [],
  );
  const steps = routed.map(({ level, to }): LevelStep => {
    const about = { eventId: level.event.id, sink: level.sink, byEventId: event.id };
    if (mark.repeat === undefined) return { ...about, change: { kind: "close" } };
    const { repeatMs } = to?.options ?? {};
    const nextAtMs = repeatMs === undefined ? null : nowMs + repeatMs;
    return { ...about, change: { kind: "repeated", repeats: mark.repeat, atMs: nowMs, nextAtMs } };
  });
  return { events: deliveries.length === 0 ? [] : [event], deliveries, levels: steps };
}
