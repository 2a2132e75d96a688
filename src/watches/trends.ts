/** `trends`: the trends of a place that enter the list of trends, leave it, or move in it. */
import { z } from "zod";
import type { RankingRule } from "../detect/ranking.ts";
import { lazy } from "../model/lazy.ts";
import { trendMessage } from "../render/messages/trend-message.ts";
import type { WatchType } from "./watch-type.ts";

const CHANGES = ["entered", "left", "moved"] as const;

const schema = lazy(() =>
  z.strictObject({
    woeid: z.int().min(1).describe("The place by its WOEID; 1 is the world."),
    top: z
      .int()
      .min(1)
      .max(50)
      .default(10)
      .describe("How many ranks count; trends below are ignored."),
    tell: z
      .array(z.enum(CHANGES))
      .min(1, "tell is empty: name entered, left or moved")
      .default(["entered"])
      .describe("Which changes raise an alert: `entered`, `left`, `moved`."),
    move_by: z
      .int()
      .min(1)
      .default(3)
      .describe("How many ranks a trend must move from its rank in the last alert."),
  }),
);

type Settings = z.output<ReturnType<typeof schema>>;

const ranking = ({ top, tell, move_by: moveBy }: Settings): RankingRule => ({
  list: "trends",
  key: "name",
  name: "trend",
  top,
  moveBy,
  ...Object.fromEntries(tell.map((what) => [what, `trend.${what}`])),
});

export const trends: WatchType<Settings> = {
  type: "trends",
  summary: "Trends of a place: what entered the list, left it or moved in it.",
  schema,
  example: `type: trends
woeid: 1
top: 5
tell: [entered, moved]
schedule: "@every 15m"`,
  body: {
    trend: { name: "string", query: "string", url: "string", rank: "int" },
    previous: { rank: "int" },
  },
  events: CHANGES.map((what) => `trend.${what}`),
  endpoints: ["trends"],
  include: { reply: false, quote: false, retweet: false },
  detection: { detector: "reading", ranking },
  targets: ({ woeid }) => [{ key: String(woeid), name: String(woeid) }],
  source: ({ woeid }) => ({ endpoint: "trends", params: { woeid } }),
  caveats: () => [
    "a trend that came and went between two polls",
    "a trend counts as gone after two lists in a row without it, so that one at the edge is reported once",
  ],
  costRequests: () => 1,
  read: trendMessage,
};
