/**
 * The messages shown in docs/messages.md, as the sinks receive them: the most common alerts, a
 * digest, a report and a deleted post. Also the buttons of docs/slack-buttons.md and
 * docs/discord-buttons.md.
 */
import { createReader } from "../../../src/operate/create-reader.ts";
import { layOutDigest } from "../../../src/deliver/stages/digest.ts";
import type { ChirpEvent } from "../../../src/model/event.ts";
import type { ReportView } from "../../../src/model/report.ts";
import type {
  Batch,
  DigestPart,
  MessageFacts,
  OutboxEvent,
  SinkLists,
} from "../../../src/model/sink.ts";
import type { Tweet } from "../../../src/model/tweet.ts";
import type { User } from "../../../src/model/user.ts";
import { acknowledgedLine } from "../../../src/render/text/acknowledged-text.ts";
import { discordButtons } from "../../../src/sinks/discord/discord-buttons.ts";
import { withDiscordFooter } from "../../../src/sinks/discord/discord-footer.ts";
import { renderDiscord } from "../../../src/sinks/discord/discord-render.ts";
import { renderDiscordDigest } from "../../../src/sinks/discord/discord-digest.ts";
import { renderEmail, renderEmailDigest } from "../../../src/sinks/email/email-render.ts";
import { BUTTONS_CHARS, withSlackButtons } from "../../../src/sinks/slack/slack-buttons.ts";
import { withSlackFooter } from "../../../src/sinks/slack/slack-footer.ts";
import { renderSlack } from "../../../src/sinks/slack/slack-render.ts";
import { renderSlackDigest } from "../../../src/sinks/slack/slack-digest.ts";
import { makeEvent, makeTweet, makeUser } from "../../support/make-event.ts";

const AT_MS = Date.UTC(2026, 10, 27, 8, 55);
const DAY = 86_400_000;
const read = createReader("https://x.com");

const user = (username: string, display_name: string, followers_count: number): User => ({
  ...makeUser(username),
  username,
  display_name,
  followers_count,
  description: "",
});
const ann = user("ann_writes", "Ann Müller", 12_300);
const bob = user("bob", "Bob Okafor", 840);
const acme = user("acme", "ACME", 98_000);

let next = 1;
function alert(
  type: string,
  watchType: string,
  body: ChirpEvent["body"],
  watch = "mentions",
): OutboxEvent {
  const id = String(2_029_911_223_344_556_000n + BigInt(next++));
  const severity = type === "sink.failing" ? "critical" : "info";
  const event = makeEvent(id, {
    type,
    watchType,
    watch,
    body,
    labels: { watch, type: watchType, event: type, target: "acme", severity },
  });
  return {
    event: { ...event, occurredAtMs: AT_MS - next * 60_000, detectedAtMs: AT_MS - next * 60_000 },
    watches: [watch],
  };
}
function post(text: string, author: User, changes: Partial<Tweet> = {}): Tweet {
  const id = String(2_029_911_223_344_500_000n + BigInt(next));
  return { ...makeTweet(id), full_text: text, user: author, ...changes };
}
const person = (name: string, followers: number): OutboxEvent =>
  alert(
    "follower.added",
    "new_followers",
    { user: user(name.toLowerCase().replace(/\W/g, "_"), name, followers), target: acme },
    "fans",
  );

const ALERTS: readonly OutboxEvent[] = [
  alert("tweet.created", "search", {
    tweet: post("The new acme kettle boils in 40 seconds. I timed it twice.", ann, {
      likes_count: 128,
      reply_count: 9,
      view_count: 5_400,
    }),
  }),
  alert("tweet.created", "search", {
    tweet: post("@acme mine arrived with a cracked lid, who do I write to?", bob, {
      is_reply: true,
      in_reply_to_username: "acme",
      in_reply_to_tweet_id: "2029911223344000000",
    }),
  }),
  alert(
    "tweet.created",
    "timeline",
    {
      tweet: post("We open in Lisbon on 4 December.", acme, {
        likes_count: 2_310,
        entities: [
          { type: "photo", link: "", preview: "https://pics.example/lisbon.jpg" },
        ] as never,
      }),
    },
    "partners",
  ),
  alert("tweet.created", "quotes", {
    tweet: post("This is how you answer a complaint.", ann, {
      is_quote: true,
      quoted_status: post("We will replace it today.", acme),
    } as never),
  }),
  person("Carla Rossi", 45_200),
  alert("follower.removed", "followers", { user: bob, target: acme }, "fans"),
  alert(
    "tweet.threshold",
    "tweet",
    {
      tweet: post("We open in Lisbon on 4 December.", acme, { likes_count: 10_012 }),
      crossed: ["likes_count"],
      previous: { likes_count: 9_870 },
    },
    "launch",
  ),
  alert(
    "profile.changed",
    "profile",
    {
      user: { ...acme, display_name: "ACME Lisbon" },
      previous: { display_name: "ACME" },
      changed: ["display_name"],
    } as never,
    "partners",
  ),
  alert(
    "score.changed",
    "score_delta",
    {
      user: acme,
      score: { week_delta: 31.5, month_delta: 80 },
      previous: { week_delta: 12, month_delta: 60 },
      crossed: ["week_delta"],
    } as never,
    "scores",
  ),
  alert("tweet.edited", "search", {
    tweet: post("The new acme kettle boils in 45 seconds.", ann),
    previous: { full_text: "The new acme kettle boils in 40 seconds." },
  }),
  alert(
    "sink.failing",
    "daemon",
    {
      message: "brand takes no messages: Slack answered channel_not_found",
      hint: "Invite the bot to the channel. Alerts for it are kept for 24 hours (retry_for) and go out when it works again.",
    },
    "",
  ),
];
const PEOPLE = ["Dana Whitfield", "Edgar Lima", "Fatima Noor", "Georg Stahl"].map((name, n) =>
  person(name, [8_100, 310_000, 42, 1_950][n] ?? 0),
);

const batch = (events: readonly OutboxEvent[]): Batch => ({ events, sample: false, read });

const MENTIONS = [
  ["The acme kettle is the best thing I bought this year", 1_240],
  ["Unboxing the acme toaster: a thread", 310],
  ["acme support answered within four minutes", 96],
  ["Is the acme kettle safe for hard water?", 12],
] as const;
const DIGEST: readonly OutboxEvent[] = [
  ...MENTIONS.map(([text, likes], n) =>
    alert("tweet.created", "search", {
      tweet: post(text, n % 2 === 0 ? ann : bob, { likes_count: likes }),
    }),
  ),
  ...PEOPLE,
  alert(
    "tweet.threshold",
    "tweet",
    {
      tweet: post("We open in Lisbon on 4 December.", acme, { likes_count: 10_012 }),
      crossed: ["likes_count"],
      previous: { likes_count: 9_870 },
    },
    "launch",
  ),
];

function digestBy(render: SinkLists["render"]): readonly DigestPart[] {
  const facts = {
    cause: "schedule" as const,
    period: { fromMs: AT_MS - DAY + 300_000, toMs: AT_MS + 300_000 },
    written: {
      ...{ title: "Mentions", maxItems: 50, whenEmpty: "nothing" as const, nextAtMs: () => 0 },
      sortBy: {
        name: "likes_count",
        of: ({ body }: Pick<ChirpEvent, "body">) => body.tweet?.likes_count,
      },
    },
    region: { timezone: "Europe/Berlin" },
    mentions: [],
  };
  return [...layOutDigest(DIGEST, facts, { above: 0, render }, { read, listedAt: () => "" }).parts];
}

const count = (value: number) => ({ count: value, events: {} });
const REPORT: ReportView = {
  ...{
    name: "weekly",
    title: "Weekly",
    from: "2026-11-20T08:00:00.000Z",
    to: "2026-11-27T08:00:00.000Z",
    timezone: "Europe/Berlin",
  },
  watches: [
    {
      ...{
        watch: "mentions",
        read: { count: 1_312, before: 1_120 },
        filtered: { count: 1_021, before: 990 },
      },
      alerted: { count: 291, before: 130, events: {} },
      days: [12, 18, 25, 61, 90, 52, 33].map((value, n) => ({
        day: `2026-11-${20 + n}`,
        count: value,
      })),
    },
    {
      ...{ watch: "fans", read: { count: 64, before: 80 }, filtered: { count: 20, before: 31 } },
      alerted: { count: 44, before: 49, events: {} },
      days: [4, 8, 2, 9, 10, 6, 5].map((value, n) => ({ day: `2026-11-${20 + n}`, count: value })),
    },
  ],
  top_authors: [
    { handle: "ann_writes", name: "Ann Müller", alerted: count(18) },
    { handle: "bob", name: "Bob Okafor", alerted: count(11) },
  ],
  top_posts: [
    {
      id: "1",
      author: "ann_writes",
      text: "The acme kettle is the best thing I bought this year",
      url: "https://x.com/ann_writes/status/1",
      likes: 1_240,
      reposts: 212,
      replies: 40,
      seen_at: "2026-11-26T10:00:00.000Z",
    },
    {
      id: "2",
      author: "bob",
      text: "Unboxing the acme toaster: a thread",
      url: "https://x.com/bob/status/2",
      likes: 310,
      reposts: 20,
      replies: 4,
      seen_at: "2026-11-25T10:00:00.000Z",
    },
  ],
  shares: [
    {
      label: "lang",
      count: 335,
      values: [
        { value: "en", count: 240 },
        { value: "de", count: 61 },
        { value: "fr", count: 20 },
      ],
    },
  ],
  deleted: count(3),
  silenced: count(0),
  given_up: count(0),
  acknowledged: { count: 0, events: {} },
  not_acknowledged: { count: 0, events: {} },
  not_relevant: { count: 0, events: {}, top_author: "", by_top_author: 0 },
};
const REPORTED = [
  alert("report.created", "daemon", { message: "Weekly", report: REPORT as never }, ""),
];
const DELETED = [
  alert("tweet.deleted", "search", {
    tweet: post("", ann, { created_at: "2026-11-27T07:48:00.000Z" }),
  }),
];

/** The payloads of each picture, by its name. */
export const SAMPLES = {
  alerts: [...ALERTS.map((event) => [event]), PEOPLE],
  report: [REPORTED],
  deleted: [DELETED],
} as const;

const ACTIONS = ["acknowledge", "snooze", "mute_author", "not_relevant"] as const;
const FOOTER = acknowledgedLine({
  marks: [{ by: "Ada", from: "Slack", atMs: Date.UTC(2026, 10, 27, 9, 4) }],
  alerts: 1,
});
const NO_FACTS: MessageFacts = { id: "0B1_Lkt6GtooE69QYIuJwt" };
const MARKED: MessageFacts = { ...NO_FACTS, footer: FOOTER };

/** Renders a message with buttons, before and after its alert was acknowledged. */
function slackButtons(): readonly unknown[] {
  const body = {
    ...renderSlack(batch(ALERTS.slice(0, 1)), BUTTONS_CHARS),
    hasButtons: true,
  } as const;
  return [
    withSlackButtons(body, ACTIONS, NO_FACTS),
    withSlackButtons(withSlackFooter(body, FOOTER), ACTIONS, MARKED),
  ];
}

function discordMessages(): readonly unknown[] {
  const alerts = batch(ALERTS.slice(0, 1));
  const body = { ...renderDiscord(alerts, { style: "embed" }), hasButtons: true } as const;
  return [
    { ...body, ...discordButtons(body, ACTIONS, NO_FACTS) },
    { ...withDiscordFooter(body, FOOTER), ...discordButtons(body, ACTIONS, MARKED) },
  ];
}

export const APPS = {
  slack: {
    render: (events: readonly OutboxEvent[]): unknown => renderSlack(batch(events)),
    digest: () => digestBy(renderSlackDigest),
    buttons: slackButtons,
  },
  discord: {
    render: (events: readonly OutboxEvent[]): unknown =>
      renderDiscord(batch(events), { style: "embed" }),
    digest: () => digestBy((digest) => renderDiscordDigest(digest)),
    buttons: discordMessages,
  },
  mail: {
    render: (events: readonly OutboxEvent[]): unknown => renderEmail(batch(events)),
    digest: () => digestBy(renderEmailDigest),
    buttons: (): readonly unknown[] => [],
  },
} as const;
