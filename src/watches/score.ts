/**
 * `score`: an account's influence score itself crossed a threshold. `score_delta` reports changes
 * over a week or a month.
 */
import { z } from "zod";
import type { ReadingRule } from "../detect/reading.ts";
import { lazy } from "../model/lazy.ts";
import { scoreLevelMessage } from "../render/messages/score-message.ts";
import { accountsSchema, accountTargets, requireUserId } from "./accounts-schema.ts";
import { REARM_SHARE, thresholdsOf, WHEN_TEXT, whenSchema } from "./thresholds-schema.ts";
import type { WatchType } from "./watch-type.ts";

const DAY_MS = 86_400_000;

const schema = lazy(() =>
  z.strictObject({
    accounts: accountsSchema,
    when: whenSchema({ score: "The score, in points" }).describe(WHEN_TEXT),
  }),
);

type Settings = z.output<ReturnType<typeof schema>>;

const rule = ({ when }: Settings): ReadingRule => ({
  name: "score",
  fields: ["score"],
  // For an account that it has not indexed, the service answers either 404 or a score of 0
  // (docs/service.md section 1).
  unknown: [0],
  crossing: { event: "score.changed", thresholds: thresholdsOf(when), rearm: REARM_SHARE },
});

export const score: WatchType<Settings> = {
  type: "score",
  summary: "Influence scores that crossed a threshold.",
  schema,
  example: `type: score
accounts: [acme, rival]
when: { score: "every 500" }
schedule: { cron: "15 6 * * *", timezone: Europe/Berlin }`,
  // A score can be a fraction or a whole number, which are two types in CEL.
  body: { user: "user", score: { score: "dyn" }, previous: { score: "dyn" }, crossed: "texts" },
  events: ["score.changed"],
  endpoints: ["score"],
  include: { reply: false, quote: false, retweet: false },
  // Scores are computed about once a day (docs/service.md section 4).
  dataIntervalMs: DAY_MS,
  detection: { detector: "reading", rule },
  targets: ({ accounts }) => accountTargets(accounts),
  source: (_settings, target) => ({
    endpoint: "score",
    params: { user_id: requireUserId(target) },
  }),
  needsIndex: () => true,
  caveats: () => [
    "accounts that the service has not indexed have no score: 404 and a score of 0 both mean that",
  ],
  costRequests: () => 1,
  read: scoreLevelMessage,
};
