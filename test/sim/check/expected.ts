/**
 * Decides for each watch and each tweet whether it `must` be reported, `never` may be, or `may` be
 * because the documentation or the scenario leaves it open. This is the specification of feeds:
 * every rule can be checked against docs/polling.md and docs/polling-single.md.
 */
import type { Json } from "../../../src/model/json.ts";
import type { Step } from "../draw/scenario.ts";
import type { Played } from "../run/simulate.ts";
import type { TweetFact } from "../run/world-history.ts";
import {
  AHEAD_MS,
  clockAhead,
  covers,
  serviceAheadMs,
  serviceFaults,
  type Span,
} from "./service-faults.ts";
import { type Rules, rulesOf, textOf, type WatchRules } from "./rules.ts";
import { accountsOf, type Scene, selects } from "./selects.ts";

export interface Expected {
  readonly watch: string;
  readonly tweet: TweetFact;
  readonly claim: "must" | "may" | "never";
  readonly why: string;
}

/** A configuration with the time in which it was active. */
export interface RuledEpoch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly rules: Rules;
}

const MIN_MS = 60_000;
/** A post at the very moment of a registration may count either way. */
const EDGE_MS = 3_000;

export function epochsOf({ epochs, endMs }: Played): readonly RuledEpoch[] {
  return epochs.map(({ fromMs, config }, n) => ({
    fromMs,
    toMs: epochs[n + 1]?.fromMs ?? endMs,
    rules: rulesOf(config),
  }));
}

/**
 * Returns a function that gives all names of a watch the same name. A renamed watch keeps its
 * memory.
 */
export function createNames(epochs: readonly RuledEpoch[]): (watch: string) => string {
  const names = new Map<string, string>();
  for (const { rules } of epochs)
    for (const { id, keys } of rules.watches.values()) {
      const before = keys["moved_from"];
      if (typeof before !== "string") continue;
      const first = names.get(before) ?? before;
      if (first !== id && !names.has(id)) names.set(id, first);
    }
  return (watch) => names.get(watch) ?? watch;
}

/**
 * Returns the names of watches that were renamed and then got their old name back in a
 * configuration that does not say so. The memory stays with the other name.
 */
function restartedNames(
  epochs: readonly RuledEpoch[],
  nameOf: (watch: string) => string,
): ReadonlySet<string> {
  const restarted = epochs.flatMap(({ rules }, n) => {
    const before = [...(epochs[n - 1]?.rules.watches.values() ?? [])];
    return [...rules.watches.values()].filter(
      ({ id, keys }) =>
        keys["moved_from"] === undefined &&
        before.every((one) => one.id !== id) &&
        before.some((one) => nameOf(one.id) === nameOf(id)),
    );
  });
  return new Set(restarted.map(({ id }) => nameOf(id)));
}

export function createExpected(
  played: Played,
  epochs: readonly RuledEpoch[],
): (watch: string, tweet: TweetFact) => Expected {
  const nameOf = createNames(epochs);
  const restarted = restartedNames(epochs, nameOf);
  const tweets = new Map(played.world.tweets().map((one) => [one.id, one]));
  const findIn = ({ rules }: RuledEpoch, watch: string): WatchRules | undefined =>
    [...rules.watches.values()].find(({ id }) => nameOf(id) === nameOf(watch));
  const scene = sceneOf(played);
  const troubledMs = troubleMs(played.scenario.steps);
  const jumps = played.scenario.steps.flatMap((step) => (step.do === "jump" ? [step.byMs] : []));
  const aheadMs = jumps.reduce((sum, byMs) => sum + Math.max(0, byMs), 0);
  const isPageTrouble = played.scenario.steps.some(
    (step) => step.do === "service fault" && PAGE_FAULTS.includes(step.name),
  );
  return (watch, tweet) => {
    const claimed = (claim: Expected["claim"], why: string): Expected => ({
      watch,
      tweet,
      claim,
      why,
    });
    const seen = shownTimes(tweet, played);
    const from = seen[0]?.fromMs;
    if (from === undefined) return claimed("never", "it was never there to be seen");
    if (restarted.has(nameOf(watch)))
      return claimed("may", "the watch got its old name back without its memory");
    const rules = epochs.map((epoch) => ({ epoch, rules: findIn(epoch, watch) }));
    const about = tweets.get(tweet.ofId ?? "");
    if ((about?.hidden.length ?? 0) > 0)
      return claimed("may", "what it is about was taken back, and then it looks otherwise");
    const possible = rules.filter(
      ({ epoch, rules: one }) => one !== undefined && one.isEnabled && epoch.toMs >= from,
    );
    if (tweet.name === "" && possible.length === 0)
      return claimed("may", "a fault posted it with an id of a time to come");
    if (possible.length === 0 && hiddenByFaults(tweet, played).length > 1)
      return claimed("may", "the end of one fault shows what another hides");
    const choices = possible.map(({ rules: one }) => selects(one as WatchRules, tweet, scene));
    if (choices.every((choice) => choice === "no")) {
      const isOfStranger = tweet.name === "" && namesStranger(rules, played);
      return isOfStranger || isHandleUnsure(possible[0]?.rules, played)
        ? claimed("may", "handles changed hands")
        : claimed("never", "the watch is not about it");
    }
    const registered = registeredMs(rules, played);
    const last = possible.at(-1)?.rules as WatchRules;
    if (tweet.postedMs < registered.fromMs - EDGE_MS && from < registered.fromMs) {
      // The service's time of the registration depends on the offset between the two clocks at its
      // first answer.
      if (tweet.postedMs > registered.fromMs - aheadMs)
        return claimed("may", "a clock that is set ahead moves the registration back");
      return last.keys["first_run"] === undefined || last.keys["first_run"] === "baseline"
        ? isPageTrouble || wasHidden(tweet, registered, played)
          ? claimed("may", "the first page did not show all there was")
          : claimed("never", "it was there before the watch")
        : claimed("may", "the first run reports some");
    }
    if (tweet.postedMs <= registered.toMs + EDGE_MS)
      return claimed("may", "it came while the watch was registered");
    const isOfLang = possible.some(({ rules: one }) =>
      textOf(one?.keys["where"]).includes("tweet.lang"),
    );
    if (isOfLang && hasOddFields(played))
      return claimed("may", "an answer may have left its language out");
    if (
      choices.some((choice) => choice !== "yes") ||
      rules.some(({ epoch, rules: one }) => one === undefined && epoch.toMs >= from)
    )
      return claimed("may", "not every configuration wanted it, or the service may hide it");
    if (tweet.name === "") return claimed("may", "a fault posted it");
    if (last.keys["on_return"] === "skip" && wasAway(watch, played, rules))
      return claimed("may", "it may have come while the watch was away");
    if (isHandleUnsure(last, played)) return claimed("may", "handles changed hands");
    const all = possible.flatMap(({ rules: one }) => (one === undefined ? [] : [one]));
    const gapMs = Math.max(...all.map((one) => one.gapMs));
    const lateMs = Math.min(...all.map((one) => one.overlapMs)) - gapMs;
    const found = seen.find(
      (span) => span.fromMs - tweet.postedMs <= lateMs && span.toMs === Number.POSITIVE_INFINITY,
    );
    if (found === undefined)
      return claimed("may", "it was gone, or seen later than late items are searched for");
    const delayMs = troubledMs + awayMs(rules) + 3 * gapMs + 2 * last.overlapMs;
    if (found.fromMs + delayMs > tweet.postedMs + Math.min(...all.map((one) => one.maxAgeMs)))
      return claimed("may", "it may be too old when it is found");
    const isPolledInTheEnd = rules.at(-1)?.rules?.isEnabled === true;
    if (!isPolledInTheEnd && found.fromMs + delayMs > (possible.at(-1)?.epoch.toMs ?? 0))
      return claimed("may", "the watch was disabled before it had to be found");
    if (isPageTrouble) return claimed("may", "pages went in circles");
    const isHiding = isCounterHiding(last, { tweet, shownMs: found.fromMs }, tweets);
    if (isHiding && found.fromMs + last.fullPollMs + 2 * gapMs > played.endMs)
      return claimed("may", "no counter showed it, and the next full poll may be due later");
    return claimed("must", "");
  };
}

/**
 * Whether a deletion hides a post: both happened between two probes, so the account's counter did
 * not change and only the next full poll finds the post. The counter counts a post as soon as it is
 * posted, also if it is shown later.
 */
export const isCounterHiding = (
  { type, keys, gapMs }: WatchRules,
  { tweet: { by, postedMs }, shownMs }: { readonly tweet: TweetFact; readonly shownMs: number },
  tweets: ReadonlyMap<string, TweetFact>,
): boolean =>
  type === "timeline" &&
  keys["strategy"] !== "single" &&
  [...tweets.values()].some(
    (other) =>
      other.by === by &&
      other.hidden.some(({ fromMs }) => fromMs >= postedMs - gapMs && fromMs <= shownMs + gapMs),
  );

/** Whether answers leave fields out. A tweet then has no language, and a profile no bio. */
export const hasOddFields = ({ scenario }: Played): boolean =>
  scenario.steps.some((step) => step.do === "service fault" && step.name === "odd_fields");

/**
 * Faults of paging that lead the daemon astray. It cannot read on then, and alerts the operator.
 */
const PAGE_FAULTS: readonly string[] = [
  "cursor_loop",
  "cursor_circle",
  "empty_page",
  "shifting_pages",
  "cursor_expired",
  "end_zero",
  "missing_array",
  "out_of_order",
  "short_page",
  "deleted_and_restored",
];

export function sceneOf({ scenario }: Played): Scene {
  const lines = (scenario.files["accounts.txt"] ?? "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const list = scenario.before.find((order) => order.do === "list");
  return { accountsFile: lines, listMembers: list?.do === "list" ? list.members : [] };
}

/** Returns when the service showed a tweet, in order. */
export function shownTimes(tweet: TweetFact, played: Played): readonly Span[] {
  const hidden = [
    ...tweet.hidden,
    ...hiddenByFaults(tweet, played),
    ...notYetShown(tweet, played),
  ].sort((a, b) => a.fromMs - b.fromMs);
  const shown: Span[] = [];
  let fromMs = Number.NEGATIVE_INFINITY;
  for (const span of hidden) {
    if (span.fromMs > fromMs) shown.push({ fromMs, toMs: span.fromMs });
    fromMs = Math.max(fromMs, span.toMs);
  }
  if (fromMs < Number.POSITIVE_INFINITY) shown.push({ fromMs, toMs: Number.POSITIVE_INFINITY });
  return shown;
}

/**
 * Returns the spans in which a late tweet is still hidden. It appears at a time of the service's
 * clock. While `clock_ahead` lasts it therefore appears early, and afterwards it is hidden again
 * until its real time.
 */
function notYetShown({ visibleAtService }: TweetFact, played: Played): readonly Span[] {
  const ahead = clockAhead(played);
  let hidden: readonly Span[] = [{ fromMs: Number.NEGATIVE_INFINITY, toMs: visibleAtService }];
  for (const { fromMs, toMs } of ahead) {
    // The offsets of overlapping faults add up.
    const count = ahead.filter((other) => other.fromMs < toMs && other.toMs > fromMs).length;
    const shown = { fromMs: Math.max(fromMs, visibleAtService - count * AHEAD_MS), toMs };
    hidden = hidden.flatMap((span) => without(span, shown));
  }
  return hidden;
}

const without = (span: Span, { fromMs, toMs }: Span): readonly Span[] =>
  fromMs >= toMs || toMs <= span.fromMs || fromMs >= span.toMs
    ? [span]
    : [
        { fromMs: span.fromMs, toMs: fromMs },
        { fromMs: toMs, toMs: span.toMs },
      ].filter((one) => one.fromMs < one.toMs);

/** Returns whether a tweet was hidden at any time of a span. */
const wasHidden = (tweet: TweetFact, span: Span, played: Played): boolean =>
  !shownTimes(tweet, played).some(({ fromMs, toMs }) => fromMs < span.fromMs && toMs > span.toMs);

/** Whether the account that had the handle at first had another one at this time. */
const hasOtherHandle = (handle: string, atMs: number, played: Played): boolean =>
  serviceFaults(played).some(
    (fault) =>
      fault.handle === handle &&
      (fault.name === "renamed" || fault.name === "handle_takeover") &&
      covers(fault, atMs),
  );

function hiddenByFaults(tweet: TweetFact, played: Played): readonly Span[] {
  const isEven = BigInt(tweet.id) % 2n === 0n;
  return serviceFaults(played).filter((fault) => {
    const begunMs = fault.fromMs + serviceAheadMs(fault.fromMs, played);
    if (fault.name === "late_visible")
      return isEven && tweet.postedMs >= begunMs && tweet.postedMs < fault.toMs;
    if (fault.name === "deleted_and_restored") return isEven && tweet.postedMs < begunMs;
    return (
      fault.name === "protected" &&
      tweet.by === fault.handle &&
      !hasOtherHandle(tweet.by, fault.fromMs, played)
    );
  });
}

/** Adds up all the time in which something kept the daemon from reading. */
function troubleMs(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => {
    if (step.do === "crash") return sum + step.downMs + 25 * MIN_MS;
    if (step.do === "stall") return sum + step.forMs + 25 * MIN_MS;
    if (step.do === "restart") return sum + step.downMs + MIN_MS;
    if (step.do === "jump") return sum + Math.abs(step.byMs);
    if (step.do === "service fault") return sum + (step.forMs ?? 0) + 35 * MIN_MS;
    return step.do === "pause" ? sum + 45 * MIN_MS : sum;
  }, 0);
}

interface RulesThen {
  readonly epoch: RuledEpoch;
  readonly rules: WatchRules | undefined;
}

/** Returns accounts in a fixed order, because their order has no meaning. */
export const inOrder = (value: Json | undefined): Json =>
  Array.isArray(value)
    ? [...(value as readonly Json[])].map((one) => JSON.stringify(one)).sort()
    : (value ?? null);

/**
 * When several watches share a request, nobody can know whose first request it is within this time.
 */
const REGISTERED_WITHIN_MS = 30 * MIN_MS;

/** Returns the span in which the state registered the watch as it is in the end. */
function registeredMs(rules: readonly RulesThen[], played: Played): Span {
  const there = rules.filter((one) => one.rules !== undefined);
  const subject = (one: RulesThen | undefined) =>
    JSON.stringify(
      ["type", "query", "accounts", "tweet", "list", "community"].map((key) =>
        inOrder(one?.rules?.keys[key]),
      ),
    );
  let first = there.length - 1;
  while (first > 0 && subject(there[first - 1]) === subject(there[first])) first -= 1;
  const fromMs = there[first]?.epoch.fromMs ?? 0;
  const asked = played.asked.find((one) => one.atMs >= fromMs && one.endpoint !== "key-usage-info");
  // A disabled watch is not polled, so it has no baseline either.
  const enabledMs =
    there.slice(first).find((one) => one.rules?.isEnabled === true)?.epoch.fromMs ?? played.endMs;
  const isLate = there[first]?.epoch !== rules[0]?.epoch || enabledMs !== fromMs;
  return {
    fromMs,
    toMs: isLate
      ? enabledMs + REGISTERED_WITHIN_MS + troubleMs(played.scenario.steps)
      : (asked?.atMs ?? played.endMs),
  };
}

/** Whether a watch was paused, disabled or removed at some time. */
const wasAway = (watch: string, { scenario }: Played, epochs: readonly RulesThen[]): boolean =>
  epochs.some(({ rules }) => rules?.isEnabled !== true) ||
  scenario.steps.some(
    (step) =>
      step.do === "pause" &&
      (step.watch === watch || epochs.some(({ rules }) => rules?.id === step.watch)),
  );

/** Returns how long the watch was disabled or absent after its first appearance. */
const awayMs = (epochs: readonly RulesThen[]): number =>
  epochs.reduce(
    (sum, { epoch, rules }) => sum + (rules?.isEnabled === true ? 0 : epoch.toMs - epoch.fromMs),
    0,
  );

/**
 * Whether a handle belonged to somebody else when the watch was added. The watch then follows the
 * new owner. Searches and mentions go by handles, which others can take.
 */
function namesStranger(rules: Parameters<typeof registeredMs>[0], played: Played): boolean {
  const { startMs, steps } = played.scenario;
  return steps.some((step) => {
    if (step.do !== "service fault" || step.name !== "handle_takeover") return false;
    const handles = rules.flatMap(({ rules: one }) =>
      one === undefined ? [] : accountsOf(one.keys, sceneOf(played)),
    );
    return (
      handles.includes(step.handle ?? "") && registeredMs(rules, played).toMs >= startMs + step.atMs
    );
  });
}

function isHandleUnsure(watch: WatchRules | undefined, played: Played): boolean {
  const moved = serviceFaults(played).flatMap(({ name, handle = "" }) =>
    name === "renamed" || name === "handle_takeover" ? [handle] : [],
  );
  if (watch === undefined || moved.length === 0) return false;
  // A condition on the handle is evaluated with the author's present name, and rechecks evaluate it
  // again.
  if (moved.some((handle) => textOf(watch.keys["where"]).includes(handle))) return true;
  const text = JSON.stringify(watch.keys);
  return moved.some((handle) => text.includes(handle)) && watch.type !== "timeline"
    ? true
    : accountsOf(watch.keys, sceneOf(played)).some((handle) => moved.includes(handle)) &&
        watch.type === "mentions";
}
