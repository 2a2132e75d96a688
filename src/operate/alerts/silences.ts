/**
/**
 * Holds the active silences and snoozes in compiled form. Routing and the pump check each event
 * against them. They are stored in the state, so that reloads and restarts keep them, and are
 * loaded again when another replica adds or ends one.
 */
import type { Clock } from "../../model/clock.ts";
import { createInTurn } from "../../model/in-turn.ts";
import type { SilenceStore, StoredSilence } from "../../model/silence.ts";
import { findSilence, findSnooze, type Silence, type Silenceable } from "../../route/silence.ts";
import { parseMatchers } from "./silence-request.ts";

export interface ActiveSilences {
  /**
   * Reads the silences from the state. Called at the start, after a silence was added or ended, and
   * after the clock was set.
   */
  load(): Promise<void>;
  /**
   * Returns the silences in the order in which they were added. Some may have ended since they were
   * loaded.
   */
  all(): readonly Silence[];
  /** Returns the id of the silence that holds the event back at a sink now; undefined if none does. */
  silenceOf(event: Silenceable, sink: string): string | undefined;
  /** Whether a silence or a snooze holds the event back at a sink now. */
  isHeld(event: Silenceable, sink: string): boolean;
}

export function createActiveSilences(
  store: Pick<SilenceStore, "listSilences">,
  clock: Pick<Clock, "now">,
): ActiveSilences {
  let active: readonly Silence[] = [];
  const inTurn = createInTurn();
  const load = async () => {
    const nowMs = clock.now();
    const stored = (await store.listSilences()).filter(({ endsAtMs }) => endsAtMs > nowMs);
    active = (await Promise.all(stored.map(compileSilence))).flatMap((silence) => silence ?? []);
  };
  return {
    load: () => inTurn(load),
    all: () => active,
    silenceOf: (event, sink) => findSilence(active, event, { sink, nowMs: clock.now() })?.id,
    isHeld(event, sink) {
      const place = { sink, nowMs: clock.now() };
      return [findSilence, findSnooze].some((find) => find(active, event, place) !== undefined);
    },
  };
}

/**
 * Compiles a stored silence. Returns undefined if one of its matchers cannot be parsed, for example
 * because another release wrote it: without that matcher, the silence would match too many events.
 */
export async function compileSilence({
  id,
  kind,
  sinks,
  endsAtMs,
  matchers: texts,
}: StoredSilence): Promise<Silence | undefined> {
  const matchers = (await parseMatchers(texts)).flatMap((matcher) =>
    typeof matcher === "string" ? [] : [matcher],
  );
  return matchers.length === texts.length ? { id, kind, sinks, endsAtMs, matchers } : undefined;
}
