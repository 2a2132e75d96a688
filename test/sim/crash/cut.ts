/**
 * Plays the canonical scenario with one process cut at one point, and finds the points at which one
 * can be cut.
 */
import { STORE_WRITES } from "../run/crash-points.ts";
import { simulate } from "../run/simulate.ts";
import { type Account, accountOf, type Outcome, outcomeOf } from "./account.ts";
import { canonical } from "./canonical.ts";

/** A crash: the first life of a replica ends when it passes a point for the `nth` time. */
export interface Cut {
  readonly replicas: number;
  readonly replica: number;
  readonly point: string;
  readonly nth: number;
}

export interface Recording {
  /**
   * The cuts to play: of those between which no time passed and no process committed or sent
   * anything, the first, since what is left is the same.
   */
  readonly cuts: readonly Cut[];
  /** The number of points at which a process can be cut. */
  readonly points: number;
  /** What the checks object to when nothing is cut. */
  readonly objections: readonly string[];
}

interface Passed {
  readonly cut: Cut;
  /** Names what a crash at this point leaves. Points with the same name leave the same. */
  readonly left: string;
}

/** How long a process that was cut stays away: less than a replica's lease, or more. */
const DOWN_MS = [3_000, 25_000] as const;

/**
 * Calls that check all the time whether the state can be written, and whether alerts wait for a
 * sink that fails, which none do in this scenario. They leave nothing in the state.
 */
const PROBES = /^store\.(?:prove|trackFailing)/;

/**
 * Calls that send, or whose writes are committed by other calls. All other writing calls are known
 * by their commits.
 */
const SENDS: ReadonlySet<string> = new Set([
  ...[
    "http.request",
    "outputs.append",
    "outputs.mail",
    "outputs.run",
    "session.enter",
    "session.lead",
    "session.remove",
  ],
  ...STORE_WRITES.map((name) => `store.${name}`),
]);

/**
 * Records every call that writes or sends in the first life of each replica, at each of its
 * moments.
 */
export async function recordCuts(replicas: number): Promise<Recording> {
  const passed: Passed[] = [];
  let effects = 0;
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  const played = await simulate(canonical(replicas), () => false, {
    downMs: 0,
    onLife: (life, replica) => {
      if (seen.has(String(replica))) return;
      seen.add(String(replica));
      life.record((point) => {
        const key = `${replica} ${point}`;
        const nth = (counts.get(key) ?? 0) + 1;
        counts.set(key, nth);
        // What the store writes leaves the process at its commit; what others send, at their call.
        if (point.endsWith(":committed") && !PROBES.test(point)) effects += 1;
        passed.push({
          cut: { replicas, replica, point, nth },
          left: `${replica} ${life.clock.monotonic()} ${effects}`,
        });
        if (point.endsWith(":call") && !point.startsWith("store.")) effects += 1;
      });
    },
  });
  outcomes.set(replicas, outcomeOf(played));
  const { lost, doubled, others } = accountOf(played, outcomeOf(played));
  const callOf = (point: string): string => point.split(":")[0] ?? "";
  const writes = new Set(
    passed.filter(({ cut }) => cut.point.endsWith(":commit")).map(({ cut }) => callOf(cut.point)),
  );
  const isPoint = ({ cut: { point } }: Passed) =>
    (writes.has(callOf(point)) || SENDS.has(callOf(point))) && !PROBES.test(point);
  const points = passed.filter(isPoint);
  const firsts = new Map<string, Cut>();
  for (const { cut, left } of points) if (!firsts.has(left)) firsts.set(left, cut);
  return {
    cuts: [...firsts.values()],
    points: points.length,
    objections: [...lost, ...doubled, ...others],
  };
}

/** The outcome of the scenario without a cut, by the number of replicas. */
const outcomes = new Map<number, Outcome>();

export async function playCut(cut: Cut): Promise<Account> {
  const { replicas, point, nth } = cut;
  if (!outcomes.has(replicas))
    outcomes.set(replicas, outcomeOf(await simulate(canonical(replicas), () => false)));
  const begun = new Set<number>();
  const played = await simulate(canonical(replicas), () => false, {
    downMs: DOWN_MS[nth % 2] ?? 0,
    onLife: (life, replica) => {
      if (replica === cut.replica && !begun.has(replica))
        life.at(point, nth, () => life.end(point));
      begun.add(replica);
    },
  });
  const account = accountOf(played, outcomes.get(replicas) as Outcome);
  const isReached = played.lives.some(
    ({ replica, cutAt }) => replica === cut.replica && cutAt === point,
  );
  return isReached
    ? account
    : { ...account, others: [...account.others, "the point was never passed"] };
}
