/**
 * Answers which values held when, and from when on a watch must report changes. What a watch found
 * first is its baseline.
 */
import type { Json } from "../../../src/model/json.ts";
import { ENOUGH_REQUESTS } from "../draw/draw-config.ts";
import type { Played } from "../run/simulate.ts";
import type { Fact } from "../run/world-history.ts";
import type { Evidence } from "./evidence.ts";
import { createNames, inOrder } from "./expected.ts";
import { downs } from "./lives.ts";
import type { WatchRules } from "./rules.ts";

const MIN_MS = 60_000;
/** When nothing is wrong, the first poll and its answer arrive within this time. */
export const BASELINE_WITHIN_MS = 3 * MIN_MS;
/** The longest time for which the daemon leaves a failed service alone. */
const AFTER_FAULT_MS = 35 * MIN_MS;
/** The greatest age of an answer when its content is reported. */
export const STALE_MS = 10_000;

/** Returns the values that held at some time between two moments, both included. */
export function valuesWithin(
  facts: readonly Fact[],
  fromMs: number,
  toMs: number,
): readonly Json[] {
  const before = facts.filter(({ atMs }) => atMs <= fromMs).at(-1);
  const within = facts.filter(({ atMs }) => atMs > fromMs && atMs <= toMs);
  return [before?.value ?? null, ...within.map(({ value }) => value)];
}

export const valueAt = (facts: readonly Fact[], atMs: number): Json =>
  valuesWithin(facts, atMs, atMs)[0] ?? null;

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * A value that held for so long, while nothing was wrong, that a watch must have seen it by `byMs`.
 */
export interface Seen {
  readonly fromMs: number;
  readonly byMs: number;
  readonly value: Json;
}

/**
 * Returns the changes that the watch must have seen: each came after its baseline, lasted long
 * enough to be polled, and met no disturbance.
 */
export function seenBy(
  watched: Watched,
  facts: readonly Fact[],
  evidence: Evidence,
): readonly Seen[] {
  const { endMs } = evidence.played;
  const { rules, settledMs } = watched;
  if (evidence.played.scenario.keys.every(({ quota }) => quota < ENOUGH_REQUESTS)) return [];
  if (watched.away.length > 0 && rules.keys["on_return"] === "skip") return [];
  const disturbed = [...disturbances(evidence), ...watched.away];
  const steps = facts.filter(({ value }, n) => n === 0 || facts[n - 1]?.value !== value);
  return steps.flatMap(({ atMs, value }, n): readonly Seen[] => {
    const byMs = atMs + 3 * rules.gapMs + 2 * MIN_MS;
    const isLong = byMs < (steps[n + 1]?.atMs ?? endMs);
    const isDisturbed = disturbed.some(({ fromMs, toMs }) => fromMs < byMs && toMs > atMs - MIN_MS);
    return atMs > settledMs && isLong && !isDisturbed ? [{ fromMs: atMs, byMs, value }] : [];
  });
}

/** When something may have kept the daemon from reading what was there. */
function disturbances({ played, epochs }: Evidence): readonly Span[] {
  const { startMs, steps } = played.scenario;
  const reloads = epochs.map(({ fromMs }) => ({ fromMs, toMs: fromMs + 2 * MIN_MS }));
  const away = downs(played).map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs + 2 * MIN_MS }));
  const faults = steps.flatMap((step) => {
    if (step.do !== "service fault") return [];
    return [
      {
        fromMs: startMs + step.atMs,
        toMs:
          step.times === undefined
            ? startMs + step.atMs + (step.forMs ?? 0) + AFTER_FAULT_MS
            : played.endMs,
      },
    ];
  });
  return [...reloads, ...away, ...faults];
}

/** Counts how many of the facts are true, at every moment at which one of them changes. */
export function countOf(all: readonly (readonly Fact[])[]): readonly Fact[] {
  const moments = [...new Set(all.flatMap((facts) => facts.map(({ atMs }) => atMs)))].sort(
    (a, b) => a - b,
  );
  return moments.map((atMs) => ({
    atMs,
    value: all.filter((facts) => valueAt(facts, atMs) === true).length,
  }));
}

export interface Watched {
  /** The first name of the watch. Events carry the name it had when they were found. */
  readonly name: string;
  readonly rules: WatchRules;
  readonly fromMs: number;
  /** From this time on every change must be found. */
  readonly settledMs: number;
  /** When it was paused or disabled, and the time it takes to come back. */
  readonly away: readonly Span[];
  /** Whether every change must have been reported by the end. */
  readonly isBound: boolean;
}

const SUBJECTS = [
  "type",
  "accounts",
  "list",
  "community",
  "account",
  "tweets",
  "when",
  "fields",
  "source",
  "query",
  "tweet",
];
const RANKS = ["top", "tell", "move_by"];

/** Returns watches that asked for the same all the time they existed. */
export function watchedOf({ epochs, played }: Evidence): readonly Watched[] {
  const nameOf = createNames(epochs);
  const { startMs, busyMs, mode, steps } = played.scenario;
  const names = [...new Set(epochs.flatMap(({ rules }) => [...rules.watches.keys()].map(nameOf)))];
  return names.flatMap((name): readonly Watched[] => {
    const all = epochs.map((epoch) => ({
      epoch,
      rules: [...epoch.rules.watches.values()].find(({ id }) => nameOf(id) === name),
    }));
    const there = all.filter(({ rules }) => rules !== undefined);
    const subjects = new Set(
      there.map(({ rules }) =>
        JSON.stringify([...SUBJECTS, ...RANKS].map((key) => inOrder(rules?.keys[key]))),
      ),
    );
    const [first, last] = [there[0], there.at(-1)?.rules];
    if (first === undefined || last === undefined || subjects.size !== 1) return [];
    // A disabled watch has no baseline yet.
    const { fromMs } = (there.find(({ rules }) => rules?.isEnabled === true) ?? first).epoch;
    const isUndisturbed =
      fromMs === epochs[0]?.fromMs &&
      !steps.some(({ do: what, atMs }) => !isOfWorld(what) && atMs < 8 * MIN_MS);
    const ids = all.flatMap(({ rules }) => (rules === undefined ? [] : [rules.id]));
    const disabled = all
      .filter(({ rules }) => rules?.isEnabled !== true)
      .map(({ epoch }) => ({ ...epoch, toMs: epoch.toMs + RETURN_MS }));
    const away = [...disabled, ...pausesOf(ids, played)];
    const isBound =
      mode === "liveness" &&
      all.at(-1)?.rules?.isEnabled === true &&
      !(away.length > 0 && last.keys["on_return"] === "skip") &&
      first === all[0];
    const rules = { ...last, gapMs: Math.max(...there.map((one) => one.rules?.gapMs ?? 0)) };
    return [
      {
        name,
        rules,
        away,
        fromMs,
        settledMs: isUndisturbed ? fromMs + BASELINE_WITHIN_MS : startMs + busyMs,
        isBound,
      },
    ];
  });
}

const RETURN_MS = 10 * MIN_MS;

/** Returns the pauses of a watch. It may be resumed several times, and by any of its names. */
const pausesOf = (ids: readonly string[], { scenario, endMs }: Played): readonly Span[] =>
  scenario.steps.flatMap((step) => {
    if (step.do !== "pause" || !ids.includes(step.watch)) return [];
    const resumes = scenario.steps.filter(
      (other) => other.do === "resume" && ids.includes(other.watch) && other.atMs > step.atMs,
    );
    const last = resumes.at(-1);
    return [
      {
        fromMs: scenario.startMs + step.atMs,
        toMs: last === undefined ? endMs : scenario.startMs + last.atMs + RETURN_MS,
      },
    ];
  });

const isOfWorld = (what: string): boolean =>
  /^(?:post|remove|restore|follow|unfollow|list|community|member|account|score|count|order)$/.test(
    what,
  );

/** Returns the accounts that faults hide, rename or replace. */
export const troubledHandles = ({ played }: Evidence): ReadonlySet<string> =>
  new Set(
    played.scenario.steps.flatMap((step) =>
      step.do === "service fault" && step.handle !== undefined ? [step.handle] : [],
    ),
  );

/**
 * Whether the service's clock ran ahead. An account that joined in that time has not joined yet
 * once the clock is right again.
 */
export const isClockAhead = ({ played }: Evidence): boolean =>
  played.scenario.steps.some((step) => step.do === "service fault" && step.name === "clock_ahead");
