/** Everything that is owed has arrived wherever it belongs, once nothing fails any more. */
import type { Played } from "../run/simulate.ts";
import { type Evidence, hasNewHandle, label, labelsOf } from "./evidence.ts";
import { placesOf } from "./routes.ts";
import type { Rules } from "./rules.ts";

export function checkOwed({ played, epochs, tweets, receipts, owed }: Evidence): readonly string[] {
  const rules = epochs.at(-1)?.rules;
  if (played.scenario.mode !== "liveness" || rules === undefined) return [];
  const accepted = receipts.filter(({ attempt }) => attempt.accepted);
  const arrived = new Set(accepted.flatMap(({ sink, named }) => [...named].map((id) => `${sink} ${id}`)));
  const objections: string[] = [];
  for (const watch of rules.watches.values()) {
    for (const tweet of tweets.values()) {
      if (owed(watch.id, tweet).claim !== "must" || hasNewHandle(tweet, played)) continue;
      for (const { sink, route } of placesOf(rules, watch, labelsOf(watch, tweet))) {
        if (arrived.has(`${sink} ${tweet.id}`) || (route?.mutes.length ?? 0) > 0 || isGivenUp(sink, rules, played)) continue;
        objections.push(`${sink} was never told of ${label(tweet, played)}, which ${watch.id} owes`);
      }
    }
  }
  return objections;
}

/** A sink that refused messages for good, or perhaps for longer than they are tried. */
const isGivenUp = (name: string, rules: Rules, { scenario }: Played): boolean =>
  scenario.steps.some(
    (step) =>
      step.do === "sink trouble" &&
      (step.sink === name || step.kind === "rate-limited-globally") &&
      (step.kind === "refusing" || (rules.sinks.get(name)?.retryForMs ?? 0) <= 3_600_000),
  );
