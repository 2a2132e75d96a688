/**
 * The silences that hold now, compiled: what routing and the pump ask about each event. Kept in the
 * state and loaded from it, so that they outlive a reload and a restart. Where another replica adds
 * or ends one, they are loaded again.
 */
import type { Clock } from "../../model/clock.ts";
import { createInTurn } from "../../model/in-turn.ts";
import type { SilenceStore, StoredSilence } from "../../model/silence.ts";
import { findSilence, type Silence, type Silenceable } from "../../route/silence.ts";
import { parseMatchers } from "./silence-request.ts";

export interface ActiveSilences {
  /** Reads them anew: at the start, after one was added or ended, and after the clock was set. */
  load(): Promise<void>;
  /** In the order in which they were added; those that have ended since are still among them. */
  all(): readonly Silence[];
  /** The id of the silence that holds such an event back now. */
  silenceOf(event: Silenceable): string | undefined;
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
    silenceOf: (event) => findSilence(active, event, clock.now())?.id,
  };
}

/**
 * Undefined where a matcher is not understood, which another release may have written: it would
 * match too much without it.
 */
export async function compileSilence({
  id,
  endsAtMs,
  matchers: texts,
}: StoredSilence): Promise<Silence | undefined> {
  const matchers = (await parseMatchers(texts)).flatMap((matcher) =>
    typeof matcher === "string" ? [] : [matcher],
  );
  return matchers.length === texts.length ? { id, endsAtMs, matchers } : undefined;
}
