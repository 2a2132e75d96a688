/**
 * Watches that what a replica holds goes on. A loop that waits makes turns all the same; one that
 * makes none for a minute hangs. It is named then, and where it still makes none a little later the
 * replica gives its share back: others do that part, and this process ends.
 */
import { repeat } from "../../engine/health/repeat.ts";
import type { Cancel, Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { Membership } from "../../model/replicas.ts";

/** How many turns a loop has made. */
export interface LoopTurns {
  readonly turns: number;
  /** The longest time that one may take. */
  readonly withinMs: number;
}

/** For loops that wait where there is nothing to do. */
export const MAX_TURN_MS = 60_000;

export interface SuperviseDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly membership: Pick<Membership, "giveUp" | "isConnected">;
  /** By what they do. */
  readonly loops: () => ReadonlyMap<string, LoopTurns>;
}

/** Checks are counted, not time: a process that stood still is not blamed for that. */
const CHECK_EVERY_MS = 5_000;
/**
 * A loop that was named may still end its turn: the server takes a little longer than a minute to
 * refuse a statement.
 */
const GIVEN_UP_AFTER_MS = 20_000;

/** Returns what ends it. */
export function supervise({ clock, log, membership, loops }: SuperviseDeps): Cancel {
  let seen: ReadonlyMap<string, Seen> = new Map();
  const check = async () => {
    // Without the state every loop waits for it.
    seen = membership.isConnected() ? compareTurns(seen, loops()) : new Map();
    const late = (byMs: number) =>
      [...seen]
        .filter(([, { sameForMs, withinMs }]) => sameForMs - withinMs === byMs)
        .map(([name]) => name);
    const [named, hanging] = [late(0), late(GIVEN_UP_AFTER_MS)];
    if (named.length > 0) log.error("a loop of this replica makes no turn", { loops: named });
    if (hanging.length > 0)
      await membership.giveUp(`this one made no turn of ${hanging.join(", ")}`);
  };
  const onError = (error: unknown) =>
    log.warn("the share of this replica could not be given back", { error });
  return repeat({ clock, everyMs: CHECK_EVERY_MS, work: check, onError });
}

interface Seen extends LoopTurns {
  readonly sameForMs: number;
}

/** Adds to each loop for how long its count of turns has stayed the same. */
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
