/** The status page of the README: a small team's daemon on a quiet day. */
import { renderPage } from "../../../src/server/page/page.ts";
import {
  activityView,
  NOW_MS,
  silenceView,
  sinkView,
  statusView,
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
  });
