/** A stand-in with everything that the pages can show: troubles, silences, replicas, texts. */
import { makeEvent } from "../support/make-event.ts";
import {
  createDaemonStandIn,
  type DaemonStandIn,
  eventEntry,
  silenceView,
  sinkView,
  statusView,
  watchView,
} from "./daemon-stand-in.ts";

const REPLICA = {
  ...{ name: "10.0.0.1#aaaa", joined_at: "2026-03-09T08:00:00.000Z", leads: true },
  ...{ answers: false, shares: true, polls_percent: 60, destinations: 1 },
};

const LIST = { target: "@acme", members: 3_000, first_read_members: 200 };

const WATCHES = [
  watchView({
    ...{ problem: "429: slow down", priority: "high" },
    slowed: { factor: 264, until: "2026-04-01T00:00:00.000Z", next_poll_at: null },
    not_relevant: { marked: 4, alerts: 9, top_author: "bob", by_top_author: 3 },
    member_lists: [{ ...LIST, tells_newcomers: true, whole_read_every_seconds: null }],
    targets: [
      { name: "@ghost", status: "unavailable", reason: "suspended" },
      { name: "@good", status: "ok", reason: "" },
      { name: "@rival", status: "not_indexed", reason: "not indexed" },
    ],
  }),
  watchView({
    id: "slow",
    slowed: { factor: 264, until: "2026-04-01T00:00:00.000Z", next_poll_at: null },
  }),
  watchView({ id: "away", paused: true }),
  watchView({ id: "broken", problem: "400: bad query" }),
];

const SINKS = [
  sinkView({
    ...{ breaker: "open", reason: "404 Unknown Webhook", hint: "create it again", waiting: 3 },
    failing_since: "2026-03-10T13:00:00.000Z",
    next_attempt_at: "2026-03-10T14:05:00.000Z",
    oldest_at: "2026-03-10T13:00:00.000Z",
    waits: [
      { cause: "sink_failing", until: null, reason: "the sink fails", count: 2 },
      {
        ...{ cause: "retrying", reason: "the last attempt failed: 500", count: 1 },
        until: "2026-03-10T14:01:00.000Z",
      },
    ],
    repeats: { count: 2, next_at: "2026-03-10T15:00:00.000Z" },
    escalations: [{ to: "pager", count: 1, next_at: "2026-03-10T14:10:00.000Z" }],
    dead: 1,
  }),
  sinkView({ name: "pager", type: "webhook", place: "" }),
];

const STATUS = statusView({
  state: "degraded",
  reasons: [
    "brand takes no messages: 404 Unknown Webhook (3 waiting, kept). Create it again",
    "1 alert for brand was given up after 24h (retry_for): Slack answered 500 (chirpwatch dead list)",
    "brand-mentions: @ghost cannot be read: suspended",
    "the changed configuration was refused at 2026-03-10T13:50:00.000Z; the old one stays active",
  ],
  watches: WATCHES,
  sinks: SINKS,
  silences: [silenceView(), silenceView({ id: "2", kind: "snooze", sinks: ["brand"] })],
  replicas: [REPLICA, { ...REPLICA, name: "10.0.0.2#bbbb", leads: false, answers: true }],
  unclaimed: { polls: 2, destinations: 0, oldest_poll_at: "2026-03-10T13:00:00.000Z" },
  gaps: 1,
  open_gaps: [
    {
      watches: ["brand-mentions"],
      ...{ opened_at: "2026-03-10T12:00:00.000Z", shrunk_at: "2026-03-10T12:00:00.000Z" },
      ...{ polls: 12, cause: "quota", stuck: true },
    },
  ],
  config: {
    file: "watches.yaml",
    loaded_at: "2026-03-09T08:00:00.000Z",
    warnings: ["watches.yaml:9:1: sink never used"],
    last_reload: null,
    failed_reload: { at: "2026-03-10T13:50:00.000Z", errors: ["watches.yaml:3:1: unknown key"] },
  },
});

const DELIVERY = {
  ...{ sink: "brand", state: "sent", messageId: "m1", attempts: 2, ref: "7", detail: "" },
  ...{ wait: null, groupKey: "", throttleKey: null, silencedBy: null, replayedAtMs: null },
  ...{ joinedEventId: null, channel: null, failures: [], edit: null, routed: null, thread: null },
};

export function createTroubledDaemon(nowMs: number): DaemonStandIn {
  const daemon = createDaemonStandIn();
  const mark = { by: "Ada", at: "2026-03-10T13:58:00.000Z", from: "page" };
  daemon.status = STATUS;
  daemon.refusals = [{ messageId: "m9", atMs: nowMs - 65_000, error: "Slack answered 503" }];
  daemon.dead = {
    groups: [],
    sinks: ["brand", "pager"],
    dead: [
      {
        ...{ message_id: "m9", sink: "brand", cause: "expired", error: "500 Internal" },
        ...{ given_up_at: "2026-03-10T13:30:00.000Z", attempts: 12 },
        alerts: [
          { id: "e1", type: "tweet.created", watch: "brand-mentions", title: "A", url: null },
        ],
      },
    ],
  };
  daemon.events = {
    events: [
      eventEntry({ acknowledged: mark, not_relevant: mark }),
      eventEntry({ data: { id: "e2", watch: "brand-mentions" }, text: "" }),
    ],
    ...{ next: "77", searched_to: "2026-03-10T13:00:00.000Z" },
  };
  daemon.found = {
    ...daemon.found,
    itemId: "1899000000000000001",
    histories: [
      {
        ...{ watch: "brand-mentions", target: "acme", itemId: "1899000000000000001" },
        ...{ verdict: "event", detail: "" },
        ...{ occurredAtMs: nowMs - 60_000, seenAtMs: nowMs - 50_000 },
        event: { ...makeEvent("e1"), id: "e1" },
        deliveries: [{ ...DELIVERY, sentAtMs: nowMs - 20_000 } as never],
        acknowledged: { by: "Ada", atMs: nowMs - 10_000, from: "page" },
      },
    ],
  };
  daemon.added = { ok: true, silence: { ...silenceView(), matching_24h: 4 } };
  return daemon;
}

/** Turns the found item into one that no watch saw. */
export function showUnseen(daemon: DaemonStandIn): void {
  daemon.found = {
    ...daemon.found,
    ...{ itemId: "5", histories: [] },
    unseen: {
      ...{ posted_at: null, is_forgotten: false, more: 0 },
      watches: [
        { watch: "brand-mentions", target: "acme", could_see: true, reason: "it is too old" },
      ],
    },
  };
}
