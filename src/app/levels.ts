/** Sends alerts on values again while they stay across their thresholds, and once more when they are back: for sinks that want that. */
import { repeat } from "../engine/health/repeat.ts";
import type { Cancel, Clock } from "../model/clock.ts";
import type { ChirpEvent } from "../model/event.ts";
import type { Hash } from "../model/hash.ts";
import type { LevelStore, OpenLevel } from "../model/level.ts";
import type { Log } from "../model/log.ts";
import type { NewDelivery, PollStore } from "../model/poll-store.ts";
import { followUp, levelState } from "../route/level.ts";
import type { ActiveWatches } from "./delivering/active-watches.ts";
import type { Routing } from "./delivering/routing.ts";

export interface LevelsDeps {
  readonly store: LevelStore & Pick<PollStore, "commitPoll">;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly log: Log;
  readonly routing: () => Pick<Routing, "routeFollowUp">;
  readonly active: Pick<ActiveWatches, "sinksOf">;
  /** Something was committed. */
  wakeDelivery(): void;
}

/** A value that is back is noticed within so long: what the detector remembers is read, and nothing is asked of the service. */
const CHECK_EVERY_MS = 30_000;

/** Returns what ends it. */
export function startLevels(deps: LevelsDeps): Cancel {
  const { clock, log } = deps;
  return repeat({
    clock,
    everyMs: CHECK_EVERY_MS,
    work: async () => {
      for (const level of await deps.store.openLevels()) await checkLevel(level, deps);
    },
    onError: (error) => log.error("alerts on values could not be repeated or resolved", { error }),
  });
}

async function checkLevel(level: OpenLevel, deps: LevelsDeps): Promise<void> {
  const { store, clock, hash } = deps;
  const state = levelState(level);
  const nowMs = clock.now();
  if (state.kind === "over") return store.changeLevel(level, { kind: "close" });
  if (state.kind === "back") {
    // Nobody waits for the end of what was never sent.
    if (level.isSent) await send(level, followUp(level, { resolved: state.names }, { hash, nowMs }), deps, "sendResolved");
    return store.changeLevel(level, { kind: "close" });
  }
  if (level.rules === null) await store.changeLevel(level, { kind: "seen", rules: state.rules });
  if (level.nextAtMs === null || level.nextAtMs > nowMs || !level.isPolled || !level.isSent) return;
  const repeats = level.repeats + 1;
  const repeatMs = await send(level, followUp(level, { repeat: repeats }, { hash, nowMs }), deps, "repeatMs");
  await store.changeLevel(level, { kind: "repeated", repeats, nextAtMs: repeatMs === undefined ? null : nowMs + repeatMs });
}

/** Committed twice it is one alert, by its id. Answers how long until the next one; undefined where it is not wanted any more. */
async function send(
  level: OpenLevel,
  event: ChirpEvent,
  deps: LevelsDeps,
  option: "repeatMs" | "sendResolved",
): Promise<number | undefined> {
  const nowMs = event.detectedAtMs;
  const ownSinks = deps.active.sinksOf(event.watchKey);
  const routed = ownSinks === undefined ? undefined : deps.routing().routeFollowUp(level, event, ownSinks, nowMs);
  if (routed === undefined || routed.options[option] === undefined) return undefined;
  const deliveries: readonly NewDelivery[] = [routed.delivery];
  await deps.store.commitPoll({ atMs: nowMs, targets: [], verdicts: [], events: [event], deliveries });
  deps.log.info(option === "repeatMs" ? "alert repeated" : "alert resolved", { event: event.id, type: event.type, sink: level.sink });
  deps.wakeDelivery();
  return routed.options.repeatMs;
}
