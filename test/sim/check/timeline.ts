/** What was so when, and since when a watch can be held to it: the baseline of a watch is what it found first. */
import type { Json } from "../../../src/model/json.ts";
import type { Fact } from "../run/world-book.ts";
import type { Evidence } from "./evidence.ts";
import { createNames, inOrder } from "./owed.ts";
import type { WatchRules } from "./rules.ts";

const MIN_MS = 60_000;
/** A first poll and the answer to it take no longer where nothing is wrong. */
const BASELINE_WITHIN_MS = 3 * MIN_MS;
/** What an answer shows may be so old when it is told. */
export const STALE_MS = 10_000;

/** The values that held at some time between two moments, both included. */
export function valuesWithin(facts: readonly Fact[], fromMs: number, toMs: number): readonly Json[] {
  const before = facts.filter(({ atMs }) => atMs <= fromMs).at(-1);
  const within = facts.filter(({ atMs }) => atMs > fromMs && atMs <= toMs);
  return [before?.value ?? null, ...within.map(({ value }) => value)];
}

export const valueAt = (facts: readonly Fact[], atMs: number): Json => valuesWithin(facts, atMs, atMs)[0] ?? null;

/** How many of them are true, at every moment at which one changes. */
export function countOf(all: readonly (readonly Fact[])[]): readonly Fact[] {
  const moments = [...new Set(all.flatMap((facts) => facts.map(({ atMs }) => atMs)))].sort((a, b) => a - b);
  return moments.map((atMs) => ({ atMs, value: all.filter((facts) => valueAt(facts, atMs) === true).length }));
}

export interface Watched {
  /** Its first name: events have the name it had when they were found. */
  readonly name: string;
  readonly rules: WatchRules;
  readonly fromMs: number;
  /** From then on every change must be found. */
  readonly settledMs: number;
  /** Whether everything must have been told in the end. */
  readonly isBound: boolean;
}

const SUBJECTS = ["type", "accounts", "list", "community", "account", "tweets", "when", "fields", "source", "query", "tweet"];
const RANKS = ["top", "tell", "move_by"];

/** Watches that asked for the same all the time they were there. */
export function watchedOf({ epochs, played }: Evidence): readonly Watched[] {
  const nameOf = createNames(epochs);
  const { startMs, busyMs, mode, steps } = played.scenario;
  const names = [...new Set(epochs.flatMap(({ rules }) => [...rules.watches.keys()].map(nameOf)))];
  return names.flatMap((name): readonly Watched[] => {
    const all = epochs.map((epoch) => ({ epoch, rules: [...epoch.rules.watches.values()].find(({ id }) => nameOf(id) === name) }));
    const there = all.filter(({ rules }) => rules !== undefined);
    const subjects = new Set(there.map(({ rules }) => JSON.stringify([...SUBJECTS, ...RANKS].map((key) => inOrder(rules?.keys[key])))));
    const [first, last] = [there[0], there.at(-1)?.rules];
    if (first === undefined || last === undefined || subjects.size !== 1) return [];
    const { fromMs } = first.epoch;
    const isUndisturbed = fromMs === epochs[0]?.fromMs && !steps.some(({ do: what, atMs }) => !isOfWorld(what) && atMs < 8 * MIN_MS);
    const isAway =
      all.some(({ rules }) => rules?.isEnabled !== true) ||
      steps.some((step) => step.do === "pause" && all.some(({ rules }) => rules?.id === step.watch));
    const isBound =
      mode === "liveness" && all.at(-1)?.rules?.isEnabled === true && !(isAway && last.keys["on_return"] === "skip") && first === all[0];
    return [{ name, rules: last, fromMs, settledMs: isUndisturbed ? fromMs + BASELINE_WITHIN_MS : startMs + busyMs, isBound }];
  });
}

const isOfWorld = (what: string): boolean =>
  /^(?:post|remove|restore|follow|unfollow|list|community|member|account|score|count|order)$/.test(what);

/** Accounts that faults hide, rename or replace. */
export const troubledHandles = ({ played }: Evidence): ReadonlySet<string> =>
  new Set(played.scenario.steps.flatMap((step) => (step.do === "service fault" && step.handle !== undefined ? [step.handle] : [])));
