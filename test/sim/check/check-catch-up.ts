/**
 * Checks that every replica closes gaps as fast as one machine. A post that a search must report is
 * found soon after it is visible and nothing keeps the daemon from reading it, even after a burst
 * of more than a page, a pause or an outage.
 */
import { ENOUGH_REQUESTS } from "../draw/draw-config.ts";
import type { Played } from "../run/simulate.ts";
import type { Evidence } from "./evidence.ts";
import { label } from "./evidence.ts";
import { createNames } from "./expected.ts";
import { handovers } from "./lives.ts";
import { groupBy } from "./outbox.ts";

const MIN_MS = 60_000;
/** The polls that a gap of a few pages takes. */
const POLLS = 6;

export function checkCatchUp(evidence: Evidence): readonly string[] {
  const { played, tweets, expected, epochs, finalRules, isClockSet } = evidence;
  const { keys, replicas = 1, config } = played.scenario;
  if (
    replicas === 1 ||
    isClockSet ||
    keys.some(({ quota }) => quota < ENOUGH_REQUESTS) ||
    config["defaults"] !== undefined
  )
    return [];
  const nameOf = createNames(epochs);
  const events = groupBy(
    played.left.events.filter(({ type }) => type === "tweet.created"),
    ({ watch, subject }) => `${nameOf(watch)} ${subject}`,
  );
  const common = [
    ...faultsOf(played),
    ...epochs.map(({ fromMs }) => ({ fromMs, toMs: fromMs })),
    ...handovers(played),
    ...unattended(played),
  ].map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs + MIN_MS }));
  // Searches that share their requests are left out, because probes and quarantines then decide
  // when they are read.
  const searches = [...finalRules.watches.values()].filter(
    ({ type, keys: own }) => type === "search" && own["strategy"] === "single",
  );
  return searches.flatMap((watch) => {
    const spans = [...common, ...pausesOf(watch.id, played)].sort((a, b) => a.fromMs - b.fromMs);
    const mostMs = POLLS * watch.gapMs + MIN_MS;
    return [...tweets.values()].flatMap((tweet): readonly string[] => {
      const [event] = events.get(`${nameOf(watch.id)} ${tweet.id}`) ?? [];
      if (
        tweet.hidden.length > 0 ||
        tweet.visibleMs > tweet.postedMs ||
        expected(watch.id, tweet).claim !== "must"
      )
        return [];
      let fromMs = tweet.visibleMs;
      for (const span of spans)
        if (span.fromMs <= fromMs + mostMs) fromMs = Math.max(fromMs, span.toMs);
      if (fromMs + mostMs >= played.endMs) return [];
      const lateMs = (event?.detectedAtMs ?? Number.POSITIVE_INFINITY) - fromMs;
      const words = event === undefined ? "never" : `${Math.round(lateMs / 1_000)} s`;
      return lateMs <= mostMs
        ? []
        : [
            `${watch.id} caught up on ${label(tweet, played)} after ${words}, of ${mostMs / 1_000} s`,
          ];
    });
  });
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Returns the time in which the service fails, and as much again as the daemon then leaves it
 * alone. A fault that ends after some requests may end at any time.
 */
const faultsOf = ({ scenario: { startMs, steps }, endMs }: Played): readonly Span[] =>
  steps.flatMap((step): readonly Span[] => {
    if (step.do !== "service fault") return [];
    const { forMs = 0, times } = step;
    const aloneMs =
      step.name === "payment_required"
        ? KEY_REST_MS
        : Math.min(Math.max(2 * forMs, MIN_MS), MAX_BACKOFF_MS);
    return [
      {
        fromMs: startMs + step.atMs,
        toMs: times === undefined ? startMs + step.atMs + forMs + aloneMs : endMs,
      },
    ];
  });

/** Returns the times in which no replica ran. */
function unattended({ lives, endMs }: Played): readonly Span[] {
  const isRunning = (atMs: number) =>
    lives.some(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
  return lives
    .filter(({ toMs }) => !isRunning(toMs))
    .map(({ toMs }) => ({
      fromMs: toMs,
      toMs: Math.min(endMs, ...lives.flatMap(({ fromMs }) => (fromMs > toMs ? [fromMs] : []))),
    }));
}

const MAX_BACKOFF_MS = 6 * MIN_MS;
/** Each replica tries a key that is not paid for once an hour. */
const KEY_REST_MS = 60 * MIN_MS;

const pausesOf = (
  watch: string,
  { scenario: { startMs, steps }, endMs }: Played,
): readonly Span[] =>
  steps.flatMap((step) => {
    if (step.do !== "pause" || step.watch !== watch) return [];
    const end = steps.find(
      (other) => other.do === "resume" && other.watch === watch && other.atMs > step.atMs,
    );
    return [
      {
        fromMs: startMs + step.atMs,
        toMs: end === undefined ? endMs : startMs + end.atMs + MIN_MS,
      },
    ];
  });
