/** `score_delta`: the change of an account's influence score crossed a threshold. */
import { z } from "zod";
import type { ReadingRule } from "../detect/reading.ts";
import { lazy } from "../model/lazy.ts";
import { scoreMessage } from "../render/messages/score-message.ts";
import { accountsSchema, accountTargets, requireUserId } from "./accounts-schema.ts";
import { comparisonSchema, REARM_SHARE } from "./thresholds-schema.ts";
import type { WatchType } from "./watch-type.ts";

const DAY_MS = 86_400_000;
/**
 * The type is `dyn`, because the service sends whole numbers and sometimes fractions, which are two
 * types in CEL.
 */
const SCORE = { week_delta: "dyn", month_delta: "dyn" } as const;

const threshold = (name: string) =>
  comparisonSchema(name, `a comparison with a number of points, e.g. ">= 25"`).optional();

const schema = lazy(() =>
  z.strictObject({
    accounts: accountsSchema,
    when: z
      .strictObject({
        week_delta: threshold("week_delta").describe("Change over the last 7 days, in points."),
        month_delta: threshold("month_delta").describe("Change over the last 30 days, in points."),
      })
      .refine(
        (when) => when.week_delta !== undefined || when.month_delta !== undefined,
        "when is empty: name week_delta or month_delta",
      )
      .describe("Fires when any of them is crossed; re-arms when the value has moved back by 10%."),
    present_score: z
      .boolean()
      .default(false)
      .describe("Whether an alert also shows the current score, for one more request per alert."),
  }),
);

type Settings = z.output<ReturnType<typeof schema>>;

const rule = ({ when, present_score: isPresentWanted }: Settings): ReadingRule => ({
  name: "score",
  fields: ["week_delta", "month_delta"],
  crossing: {
    event: "score.changed",
    thresholds: [when.week_delta, when.month_delta].filter((one) => one !== undefined),
    rearm: REARM_SHARE,
  },
  ...(isPresentWanted ? { companion: { endpoint: "score", name: "present" } } : {}),
});

export const scoreDelta: WatchType<Settings> = {
  type: "score_delta",
  summary: "Influence scores whose change crossed a threshold.",
  schema,
  example: `type: score_delta
accounts: [acme, rival]
when: { week_delta: ">= 25", month_delta: "<= -60" }
schedule: { cron: "15 6 * * *", timezone: Europe/Berlin }`,
  body: { user: "user", score: SCORE, previous: SCORE, crossed: "texts", changed: "texts" },
  events: ["score.changed"],
  endpoints: ["score-changes", "score"],
  include: { reply: false, quote: false, retweet: false },
  // Scores are computed about once a day (docs/service.md section 4).
  dataIntervalMs: DAY_MS,
  detection: { detector: "reading", rule },
  targets: ({ accounts }) => accountTargets(accounts),
  source: (_settings, target) => ({
    endpoint: "score-changes",
    params: { user_id: requireUserId(target) },
  }),
  needsIndex: () => true,
  caveats: ({ present_score: isPresentWanted }) => [
    "accounts that the service has not indexed have no score",
    "a change that was undone between two polls",
    ...(isPresentWanted
      ? [
          "present_score: one more request per alert, which the plan cannot predict; `where` does not see the score",
        ]
      : []),
  ],
  costRequests: () => 1,
  read: scoreMessage,
};
