/** Renders the pages of a small team's daemon on a quiet day, for the README and docs/page.md. */
import { renderPage } from "../../../src/server/page/page.ts";
import { renderAlertPage } from "../../../src/server/page/page-alert.ts";
import { renderEventsPage } from "../../../src/server/page/page-events.ts";
import { renderSinkPage } from "../../../src/server/page/page-sink.ts";
import { renderWatchPage } from "../../../src/server/page/page-watch.ts";
import {
  activityView,
  eventEntry,
  NOW_MS,
  silenceView,
  sinkView,
  statusView,
  watchDaysView,
  watchView,
} from "../../server/daemon-stand-in.ts";

const target = (name: string) => ({ name, status: "ok" as const, reason: "" });

function alert(index: number, watch: string, title: string, minutesAgo: number, sink: string) {
  const at = new Date(NOW_MS - minutesAgo * 60_000).toISOString();
  return {
    id: `e${index}`,
    type: watch === "new-followers" ? "follower.added" : "tweet.created",
    watch,
    title,
    text: "",
    url: `https://x.com/alice/status/189900000000000000${index}`,
    occurred_at: new Date(NOW_MS - minutesAgo * 60_000 - 40_000).toISOString(),
    detected_at: at,
    acknowledged: null,
    deliveries: [{ sink, state: "sent" as const, wait: null }],
  };
}

export const statusPage = (): string =>
  renderPage({
    activity: activityView(),
    nowMs: NOW_MS,
    status: statusView({
      watches: [
        watchView(),
        watchView({
          id: "partners",
          type: "timeline",
          sink: "news",
          schedule: "within 1m",
          targets: ["@maya_builds", "@ann_writes", "@bob"].map(target),
          known_items: 4_120,
          last_poll_at: "2026-03-10T13:59:31.000Z",
          next_poll_at: "2026-03-10T14:00:32.000Z",
          requests_spent: 21_870,
        }),
        watchView({
          id: "new-followers",
          type: "new_followers",
          targets: [target("@acme")],
          schedule: "7 */6 * * *",
          known_items: 98_214,
          last_poll_at: "2026-03-10T12:07:00.000Z",
          next_poll_at: "2026-03-10T18:07:00.000Z",
          requests_spent: 96,
        }),
      ],
      sinks: [
        sinkView(),
        sinkView({ name: "news", type: "discord", place: "1128374650192837465", sent: 1_204 }),
      ],
      silences: [silenceView({ matchers: ['lang="ja"'], comment: "nobody here reads it" })],
      recent_events: [
        alert(1, "partners", "Maya Lind (@maya_builds) posted", 1, "news"),
        alert(2, "brand-mentions", "Ann Müller (@ann_writes) mentioned @acme", 3, "brand"),
        alert(3, "partners", "Bob Okafor (@bob) replied", 12, "news"),
        alert(4, "new-followers", "@acme has a new follower: @zoe_adler", 113, "brand"),
      ],
    }),
    watchNames: ["brand-mentions", "partners", "new-followers"],
  });

const BRAND_ALERT = eventEntry({
  title: "Ann Müller (@ann_writes) mentioned @acme",
  text: "The new import of @acme took our five years of invoices in one go. Impressed.",
  url: "https://x.com/ann_writes/status/1899000000000000002",
  deliveries: [{ sink: "brand", state: "sent" }],
});

export const watchPage = (): string =>
  renderWatchPage({
    watch: watchView({ targets: [target('("acme corp" OR @acme) -from:acme')] }),
    days: watchDaysView("brand-mentions").days,
    gaps: [],
    nowMs: NOW_MS,
  });

export const sinkPage = (): string =>
  renderSinkPage({
    sink: sinkView({
      breaker: "open",
      reason: "Slack answered 503",
      hint: "",
      failing_since: "2026-03-10T13:41:00.000Z",
      next_attempt_at: "2026-03-10T14:01:00.000Z",
      waiting: 4,
      waits: [{ cause: "sink_failing", until: null, reason: "the sink fails", count: 4 }],
      oldest_at: "2026-03-10T13:42:00.000Z",
      dead: 1,
    }),
    refusals: [
      {
        messageId: "0B1_Lkt6GtooE69QYIuJwt",
        atMs: NOW_MS - 65_000,
        error: "Slack answered 503",
      },
    ],
    dead: {
      groups: [],
      sinks: ["brand"],
      dead: [
        {
          message_id: "0B1_Lkt6GtooE69QYIuJwt",
          sink: "brand",
          cause: "refused msg_too_long",
          error: "Slack refused the message: msg_too_long",
          given_up_at: "2026-03-10T09:12:00.000Z",
          attempts: 1,
          alerts: [
            {
              id: "e1",
              type: "tweet.created",
              watch: "brand-mentions",
              title: "Bob Okafor (@bob) posted",
              url: null,
            },
          ],
        },
      ],
    },
    nowMs: NOW_MS,
  });

export const searchPage = (): string =>
  renderEventsPage(
    {
      events: [
        BRAND_ALERT,
        eventEntry({
          title: "Bob Okafor (@bob) replied",
          text: "@acme same here, no export since noon",
        }),
      ],
      ...{ next: null, searched_to: null },
    },
    { text: "acme", since: "24h" },
    NOW_MS,
  );

export const alertPage = (): string =>
  renderAlertPage({
    event: BRAND_ALERT,
    sinks: ["brand", "news"],
    nowMs: NOW_MS,
    found: {
      item: "e1",
      item_id: "1899000000000000002",
      first_reads: [],
      unseen: null,
      verdicts: [
        {
          watch: "brand-mentions",
          target: "acme",
          item_id: "1899000000000000002",
          verdict: "event",
          detail: "",
          occurred_at: "2026-03-10T13:56:58.000Z",
          seen_at: "2026-03-10T13:57:10.400Z",
          event: { id: "e1", type: "tweet.created" },
          acknowledged: { by: "Ada", at: "2026-03-10T13:59:02.000Z", from: "page" },
          deliveries: [
            {
              sink: "brand",
              state: "sent",
              message_id: "0B1_Lkt6GtooE69QYIuJwt",
              attempts: 2,
              sent_at: "2026-03-10T13:57:14.000Z",
              ref: "1741615034.000100",
              detail: "",
              wait: null,
              routed_by: "route",
              route: "route.routes[0]",
              matchers: ['team="comms"'],
              attempt_log: [
                { at: "2026-03-10T13:57:12.000Z", result: "failed", answer: "Slack answered 503" },
              ],
            },
          ],
        },
      ],
    },
  });
