/** Gathers everything that the checks use: what was seen, what it says, and what was expected. */
import type { Played } from "../run/simulate.ts";
import type { TweetFact } from "../run/world-history.ts";
import { createExpected, epochsOf, sceneOf, type Expected, type RuledEpoch } from "./expected.ts";
import { type Outbox, readOutbox } from "./outbox.ts";
import { type Receipt, receiptsOf } from "./receipts.ts";
import type { Labels } from "./routes.ts";
import type { Scene } from "./selects.ts";
import { type Rules, rulesOf, type WatchRules } from "./rules.ts";

export interface Evidence {
  readonly played: Played;
  readonly epochs: readonly RuledEpoch[];
  readonly tweets: ReadonlyMap<string, TweetFact>;
  readonly receipts: readonly Receipt[];
  readonly expected: (watch: string, tweet: TweetFact) => Expected;
  readonly outbox: Outbox;
  readonly scene: Scene;
  /** Rules of the configuration that was active last. */
  readonly finalRules: Rules;
  /** Whether the operator set the clock. Times in the state are then not the world's. */
  readonly isClockSet: boolean;
}

export function gather(played: Played): Evidence {
  const epochs = epochsOf(played);
  const tweets = new Map(played.world.tweets().map((tweet) => [tweet.id, tweet]));
  const isClockSet = played.scenario.steps.some((step) => step.do === "jump");
  return {
    ...{
      played,
      epochs,
      tweets,
      receipts: receiptsOf(played.attempts, tweets),
      expected: createExpected(played, epochs),
      isClockSet,
    },
    finalRules: epochs.at(-1)?.rules ?? rulesOf(played.scenario.config),
    scene: sceneOf(played),
    outbox: readOutbox(played, epochs, isClockSet),
  };
}

/**
 * Returns the labels of the event that reports a tweet. All targets match alike for the matchers
 * that are drawn.
 */
export function labelsOf(watch: WatchRules, { by, lang, kind, conversation }: TweetFact): Labels {
  const about = { author: by, lang, kind, conversation, target: "?", event: "tweet.created" };
  return { severity: "info", ...watch.labels, watch: watch.id, type: watch.type, ...about };
}

/** Whether the handle in an event's labels may differ from the one at the beginning. */
export const hasNewHandle = (tweet: TweetFact, { scenario }: Played): boolean =>
  scenario.steps.some(
    (step) =>
      step.do === "service fault" &&
      /^(?:renamed|handle_takeover)$/.test(step.name) &&
      step.handle === tweet.by,
  );

export const label = (tweet: TweetFact, { scenario }: Played): string =>
  `${tweet.name || "a fault's tweet"} (${tweet.id}, posted ${minutes(tweet.postedMs - scenario.startMs)}, seen ${minutes(tweet.visibleMs - scenario.startMs)})`;

const minutes = (ms: number): string => `${(ms / 60_000).toFixed(1)} min`;
