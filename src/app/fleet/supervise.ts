/**
 * Supervises the loops of a replica. A loop makes turns even while it waits, so a loop without a
 * turn for a minute hangs, and this is logged. If the loop still makes no turn a little later, the
 * replica gives up its share of the work, so that other replicas do it, and the process ends.
 */
import { repeat } from "../../engine/health/repeat.ts";
import type { Cancel, Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { Membership } from "../../model/replicas.ts";

/** The number of turns that a loop has made. */
export interface LoopTurns {
  readonly turns: number;
  /** The longest time that one turn may take. */
  readonly withinMs: number;
}

/** The limit for loops that wait when there is nothing to do. */
export const MAX_TURN_MS = 60_000;

export interface SuperviseDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly membership: Pick<Membership, "giveUp" | "isConnected">;
  /** Returns the loops, by a text that says what each does. */
  readonly loops: () => ReadonlyMap<string, LoopTurns>;
}

/** Time is measured in checks, so that a process that was suspended is not blamed for that time. */
const CHECK_EVERY_MS = 5_000;
/**
 * How long after the log line the share is given up. A loop that was logged may still end its turn,
 * because the database server takes a little longer than a minute to refuse a statement.
 */
const GIVEN_UP_AFTER_MS = 20_000;

/** Starts the supervision. Returns a function that stops it. */
export function supervise({ clock, log, membership, loops }: SuperviseDeps): Cancel {
  let seen: ReadonlyMap<string, Seen> = new Map();
  const check = async () => {
    // While the state cannot be reached, every loop waits for it, so no loop counts as stuck.
    seen = membership.isConnected() ? compareTurns(seen, loops()) : new Map();
    const late = (byMs: number) =>
      [...seen]
        .filter(([, { sameForMs, withinMs }]) => sameForMs - withinMs === byMs)
        .map(([name]) => name);
    const [named, hanging] = [late(0), late(GIVEN_UP_AFTER_MS)];
    if (named.length > 0) log.error("a loop of this replica is stuck", { loops: named });
    if (hanging.length > 0)
      await membership.giveUp(`a loop of this replica is stuck: ${hanging.join(", ")}`);
  };
  const onError = (error: unknown) =>
    log.warn("the share of this replica could not be given back", { error });
  return repeat({ clock, everyMs: CHECK_EVERY_MS, work: check, onError });
}

interface Seen extends LoopTurns {
  readonly sameForMs: number;
}

/** Adds to each loop for how long its count of turns has not changed. */
const compareTurns = (
  before: ReadonlyMap<string, Seen>,
  loops: ReadonlyMap<string, LoopTurns>,
): ReadonlyMap<string, Seen> =>
  new Map(
    [...loops].map(([name, now]) => {
      const known = before.get(name);
      return [
        name,
        { ...now, sameForMs: known?.turns === now.turns ? known.sameForMs + CHECK_EVERY_MS : 0 },
      ];
    }),
  );
