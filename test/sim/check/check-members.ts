/**
 * Checks member lists: every reported join and leave happened, none is reported twice, and the last
 * report about each account is true. This is the specification of lists of accounts; see
 * docs/polling-member-lists.md.
 */
import type { JsonObject } from "../../../src/model/json.ts";
import type { LeftEvent } from "../run/read-state.ts";
import type { Fact } from "../run/world-history.ts";
import type { Evidence } from "./evidence.ts";
import { listsOf } from "./lists.ts";
import { createNames } from "./expected.ts";
import { groupBy } from "./outbox.ts";
import {
  BASELINE_WITHIN_MS,
  isClockAhead,
  seenBy,
  STALE_MS,
  troubledHandles,
  valueAt,
  valuesWithin,
  type Watched,
  watchedOf,
} from "./timeline.ts";

export function checkMembers(evidence: Evidence): readonly string[] {
  if (evidence.isClockSet || isClockAhead(evidence)) return [];
  const nameOf = createNames(evidence.epochs);
  const troubled = troubledHandles(evidence);
  const cuts = cutsOf(evidence);
  const moves = groupBy(
    movesOf(evidence),
    ({ event, target, who }) => `${nameOf(event.watch)} ${target} ${who}`,
  );
  return watchedOf(evidence).flatMap((watched) =>
    listsOf(watched, evidence)
      .filter(({ target }) => !troubled.has(target))
      .flatMap(({ target, people, factsOf, factsOfCounted = factsOf }) => {
        const facts = people.map(factsOf);
        const isEmptied = facts.every((own) => valueAt(own, evidence.played.endMs) !== true);
        return people.flatMap((who, n) => {
          const own = facts[n] ?? [];
          const line: Line = {
            watched,
            facts: own,
            moves: moves.get(`${watched.name} ${target} ${who}`) ?? [],
            isHidden:
              isProbed(watched) && isCounterHiding(people.map(factsOfCounted), own, watched),
            what: `${watched.rules.type} ${watched.name}: ${who} at ${target || "the list"}`,
          };
          if (troubled.has(who)) return [];
          const isUnknown = isEmptied || isOfFirstPage(watched, facts, own);
          return [
            ...checkMoves(line, cuts),
            ...checkSeen(line, facts, evidence),
            ...(isUnknown || isLeaveOfCut(line, cuts) ? [] : checkLast(line, evidence)),
          ];
        });
      }),
  );
}

/** The join or leave of one account that an event reports. */
interface Move {
  readonly event: LeftEvent;
  readonly who: string;
  readonly target: string;
  readonly isIn: boolean;
}

function movesOf({ played }: Evidence): readonly Move[] {
  const handle = (one: unknown) =>
    played.world.handleOf(((one ?? {}) as JsonObject)["id"] as string) ?? "";
  return played.left.events.flatMap((event): readonly Move[] => {
    const [, kind] = event.type.split(".");
    const { user, target, membership } = event.body;
    if (event.type === "membership.changed") {
      const answer = Object.values(membership as JsonObject).find(
        (value) => typeof value === "boolean",
      );
      return [{ event, who: handle(user), target: handle(target), isIn: answer === true }];
    }
    if (!/\.(?:added|removed|entered|left|found)$/.test(event.type) || user === undefined)
      return [];
    const isIn = !/^(?:removed|left)$/.test(kind ?? "");
    return [{ event, who: handle(user), target: target === undefined ? "" : handle(target), isIn }];
  });
}

/**
 * Returns whether a member belongs to the baseline of a list that was empty at first. The first
 * read that finds anybody is the baseline, and those members are not reported.
 */
function isOfFirstPage(
  { fromMs, rules }: Watched,
  all: readonly (readonly Fact[])[],
  own: readonly Fact[],
): boolean {
  const arrivals = all.map(
    (facts) =>
      facts.find(({ atMs, value }) => atMs >= fromMs && value === true)?.atMs ??
      Number.POSITIVE_INFINITY,
  );
  const isEmptyAtFirst =
    rules.type !== "membership" && all.every((facts) => valueAt(facts, fromMs) !== true);
  return (
    isEmptyAtFirst &&
    own.some(
      ({ atMs, value }) =>
        value === true && atMs >= fromMs && atMs <= Math.min(...arrivals) + rules.gapMs,
    )
  );
}

/** Whether the watch reports only joins. */
const isOneWay = ({ rules }: Watched): boolean =>
  /^(?:new_.*|retweeters|user_search)$/.test(rules.type);

/** Whether the watch may read a list only when the account's counter changes. */
const isProbed = ({ rules }: Watched): boolean =>
  /^(?:new_|verified_)?follow(?:ers|ing)$/.test(rules.type) && rules.keys["strategy"] !== "single";

interface Line {
  readonly watched: Watched;
  readonly facts: readonly Fact[];
  readonly moves: readonly Move[];
  readonly what: string;
  /**
   * Another account moved in the opposite direction at about that time, so the counter did not
   * change.
   */
  readonly isHidden: boolean;
}

/** The longest time that a scenario keeps the daemon down. */
const DOWN_MS = 20 * 60_000;

/**
 * Returns whether equal counts hide a move. A counter that is the same at two probes does not show
 * that one account came and another left between them, and the next full poll may be hours away.
 * `counted` has the facts of everybody whom the counter counts.
 */
function isCounterHiding(
  counted: readonly (readonly Fact[])[],
  own: readonly Fact[],
  { rules }: Watched,
): boolean {
  const lastMs = own.at(-1)?.atMs ?? 0;
  const withinMs = 2 * rules.gapMs + DOWN_MS;
  const moments = counted
    .flatMap((facts) => facts.map(({ atMs }) => atMs))
    .filter((atMs) => Math.abs(atMs - lastMs) < withinMs);
  const counterAt = (ms: number) => counted.filter((facts) => valueAt(facts, ms) === true).length;
  const isSame = (fromMs: number, toMs: number) =>
    toMs - fromMs < withinMs && counterAt(fromMs) === counterAt(toMs);
  return moments.some(
    (atMs) => atMs <= lastMs && moments.some((toMs) => toMs >= lastMs && isSame(atMs - 1, toMs)),
  );
}

interface Cut {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The daemon learns of a shortened list one poll later, and of a second one later still. */
const HEARD_WITHIN_MS = 20 * 60_000;

/** Returns the times in which the service returned only the beginning of each page. */
const cutsOf = ({ played }: Evidence): readonly Cut[] =>
  played.scenario.steps.flatMap((step) => {
    if (step.do !== "service fault" || step.name !== "short_page") return [];
    const fromMs = played.scenario.startMs + step.atMs;
    return [{ fromMs, toMs: fromMs + (step.forMs ?? 0) + HEARD_WITHIN_MS }];
  });

/**
 * Whether the last move is a leave that nobody but the service made up. Whoever comes back far down
 * in the list is not new to it.
 */
const isLeaveOfCut = ({ moves }: Line, cuts: readonly Cut[]): boolean => {
  const last = moves.at(-1);
  return (
    last !== undefined &&
    !last.isIn &&
    cuts.some(
      ({ fromMs, toMs }) => last.event.detectedAtMs > fromMs && last.event.detectedAtMs < toMs,
    )
  );
};

/** Checks that each move was true at some time since the previous one, and differs from it. */
function checkMoves(
  { watched, facts, moves, what }: Line,
  cuts: readonly Cut[],
): readonly string[] {
  return moves.flatMap((move, n) => {
    const before = moves[n - 1];
    const sinceMs = (before?.event.detectedAtMs ?? watched.fromMs) - STALE_MS;
    const values = valuesWithin(facts, sinceMs, move.event.detectedAtMs).map(
      (value) => value === true,
    );
    const reported = `${what} is reported as ${move.isIn ? "in" : "out"}`;
    // Two whole lists without an account confirm a leave, even if the service leaves members out.
    const isCutOff = cuts.some(
      ({ fromMs, toMs }) => sinceMs < toMs && move.event.detectedAtMs > fromMs,
    );
    if (!values.includes(move.isIn) && !move.isIn && isCutOff) return [];
    if (!values.includes(move.isIn)) return [`${reported}, and was not`];
    if (before?.isIn === move.isIn)
      return (isOneWay(watched) && values.includes(false)) ||
        isSkipped(watched, facts, before, move)
        ? []
        : [`${reported} twice`];
    // An account that a shortened first answer left out looks new in the next one.
    const isBaselineCut = cuts.some(
      ({ fromMs, toMs }) => fromMs < watched.fromMs + BASELINE_WITHIN_MS && toMs > watched.fromMs,
    );
    return before === undefined && !isBaselineCut && !values.includes(!move.isIn)
      ? [`${reported}, and always was`]
      : [];
  });
}

/**
 * The account changed back while the watch was away. `on_return: skip` raises no alert for that,
 * nor for a move just before that was not read yet.
 */
const isSkipped = (
  { rules, away }: Watched,
  facts: readonly Fact[],
  before: Move,
  move: Move,
): boolean =>
  rules.keys["on_return"] === "skip" &&
  facts.some(
    ({ atMs, value }) =>
      (value === true) !== move.isIn &&
      atMs > before.event.detectedAtMs - STALE_MS &&
      atMs <= move.event.detectedAtMs &&
      away.some(({ fromMs, toMs }) => atMs >= fromMs - rules.gapMs && atMs <= toMs),
  );

/**
 * Checks that every account which was on the list or off it for long enough was reported, unless
 * that was known. Nothing can be known about a list that looks empty.
 */
function checkSeen(
  { watched, facts, moves, what }: Line,
  all: readonly (readonly Fact[])[],
  evidence: Evidence,
): readonly string[] {
  const { rules, settledMs, fromMs } = watched;
  if (isProbed(watched) || (rules.type.startsWith("new_") && rules.keys["source"] !== "all"))
    return [];
  const isBaselineKnown = valuesWithin(facts, fromMs - STALE_MS, settledMs).length === 1;
  return seenBy(watched, facts, evidence).flatMap((seen) => {
    const isIn = seen.value === true;
    const moments = all
      .flatMap((own) => own.filter(({ atMs }) => atMs >= fromMs && atMs <= seen.byMs))
      .map(({ atMs }) => atMs);
    const isEmpty =
      rules.type !== "membership" &&
      [fromMs, ...moments].some((atMs) => all.every((own) => valueAt(own, atMs) !== true));
    const before = moves.filter(({ event }) => event.detectedAtMs < seen.fromMs);
    const known =
      before.at(-1)?.isIn ?? (isBaselineKnown ? valueAt(facts, settledMs) === true : undefined);
    const isReported = moves.some(
      (move) =>
        move.isIn === isIn &&
        move.event.detectedAtMs >= seen.fromMs &&
        move.event.detectedAtMs <= seen.byMs,
    );
    // With `max_pages` each poll reads only part of a long list. Two complete reads would take
    // longer than the simulation allows.
    if (!isIn && rules.keys["max_pages"] !== undefined && /follow/.test(rules.type)) return [];
    const isNoNews = isOneWay(watched) && (!isIn || known !== false || before.length > 0);
    if (isReported || isEmpty || isNoNews || known === undefined || known === isIn) return [];
    return [`${what} came ${isIn ? "in" : "out"}, and nobody was notified`];
  });
}

/**
 * Checks that the last report about an account is true. A watch that reports only joins says
 * nothing about accounts that left.
 */
function checkLast(
  { watched, facts, moves, what, isHidden }: Line,
  { played }: Evidence,
): readonly string[] {
  const { settledMs, isBound, fromMs, rules } = watched;
  if (!isBound || valuesWithin(facts, fromMs - STALE_MS, settledMs).length > 1) return [];
  if (
    rules.type === "membership" &&
    !(rules.keys["accounts"] as readonly string[]).some((one) => what.includes(`: ${one} at`))
  )
    return [];
  const [isFirst, isLast] = [
    valueAt(facts, settledMs) === true,
    valueAt(facts, played.endMs) === true,
  ];
  const reported = moves.at(-1)?.isIn ?? isFirst;
  if (reported === isLast) return [];
  if (isHidden) return [];
  if (isOneWay(watched) && (!isLast || isFirst)) return [];
  if (rules.type.startsWith("new_") && rules.keys["source"] !== "all") return [];
  return [`${what} is ${isLast ? "in" : "out"} in the end, and nobody was notified`];
}
