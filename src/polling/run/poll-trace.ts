/** Gives poll runs ids and remembers which events they found, in memory, for the log only. */
import type { Clock } from "../../model/clock.ts";
import type { Trace } from "../../model/trace.ts";

/**
 * How many events are remembered, which takes about 1 MB. Most events wait for their message for a
 * moment, those in a digest for hours.
 */
const MAX_EVENTS = 10_000;

/** The prefixes and suffixes that a poll's key has in the source of its additional requests. */
const BESIDE = /^(?:beside|ask):|:search$/g;

export function createPollTrace(clock: Clock): Trace {
  const prefix = Math.floor(clock.now()).toString(36);
  const running = new Map<string, string>();
  const byEvent = new Map<string, string>();
  let runs = 0;
  const ofSource = (source: string): string | undefined =>
    running.get(source) ?? running.get(source.replace(BESIDE, ""));
  return {
    begin(pollKey, memberKeys = []) {
      const trace = running.get(pollKey) ?? `${prefix}-${(runs += 1)}`;
      for (const key of [pollKey, ...memberKeys]) running.set(key, trace);
      return trace;
    },
    end(pollKey, memberKeys = []) {
      for (const key of [pollKey, ...memberKeys]) running.delete(key);
    },
    ofSource,
    remember(source, eventIds) {
      const trace = ofSource(source);
      if (trace === undefined) return;
      for (const id of eventIds) byEvent.set(id, trace);
      for (const id of byEvent.keys()) {
        if (byEvent.size <= MAX_EVENTS) break;
        byEvent.delete(id);
      }
    },
    ofEvents: (eventIds) => [...new Set(eventIds.flatMap((id) => byEvent.get(id) ?? []))],
  };
}
