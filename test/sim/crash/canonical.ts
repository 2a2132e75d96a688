/**
 * The one scenario in which a process is cut at every point. It has all kinds of watches and sinks,
 * digests, silences, throttles, updates, escalations, a mark, a backfill, an enrichment, a reload
 * and a dead letter that is sent again. Everything happens far enough from any time limit that a
 * process which is away for a while still finds and sends all of it.
 */
import type { JsonObject } from "../../../src/model/json.ts";
import { ARTICLE_POST, COUNTED_POSTS, FAN_LIST_ID, postRef } from "../draw/cast.ts";
import type { Scenario, Step, WorldOrder } from "../draw/scenario.ts";

const MIN_MS = 60_000;
const schedule = "@every 3m";

const WATCHES: JsonObject = {
  w0: { type: "search", query: "acme", schedule, sink: ["s0", "s1"] },
  w1: {
    type: "timeline",
    accounts: ["anna0", "boris1"],
    schedule,
    recheck: { every: "5m", until: "1h" },
    sink: ["s0", "s1"],
  },
  w2: { type: "new_followers", accounts: ["anna0"], source: "all", schedule, sink: "s0" },
  w3: {
    type: "profile",
    accounts: ["boris1"],
    fields: ["description"],
    schedule,
    sink: ["s0", "s1"],
  },
  w4: {
    type: "tweet",
    tweets: [postRef(COUNTED_POSTS[0])],
    when: { likes_count: ">= 10" },
    schedule,
    sink: "s0",
  },
  w5: {
    ...{ type: "search", query: "crane -delta", schedule, sink: ["s0", "s2"] },
    enrich: {
      url: "https://enrich.example/rate",
      labels: ["mood"],
      timeout: "3s",
      on_error: "hold",
      max_hold: "2m",
    },
  },
  w6: { type: "search", query: "#launch", schedule, sink: "s2" },
  w7: { type: "search", query: "bolt", schedule, sink: "s3" },
  w8: { type: "list_members", list: FAN_LIST_ID, schedule, sink: "s0" },
};

const config = (watches: JsonObject): JsonObject => ({
  api: { base_url: "https://service.example", key: "KEY-0" },
  watches,
  sinks: {
    s0: {
      type: "webhook",
      url: "https://hook-s0.example/in",
      escalate: [
        { after: "1m", sink: "s4" },
        { after: "2m", sink: "s4" },
      ],
    },
    s1: { type: "slack", token: "xoxb-1", channel: "#s1", update: ["deleted", "edited"] },
    s2: {
      type: "discord",
      token: "bot.token",
      channel_id: "900002",
      digest: { schedule: "@every 6m" },
    },
    s3: {
      type: "webhook",
      url: "https://hook-s3.example/in",
      throttle: { limit: 1, interval: "5m", digest_interval: "2m" },
    },
    s4: { type: "webhook", url: "https://hook-s4.example/in" },
  },
  ops: { sink: "s4" },
  reports: { r0: { schedule: "@every 5m", sink: ["s0", "s1"], by: ["lang"], title: "Found" } },
});

/** The reload renames `w0`, adds `w9`, and gives `w6` another sink. */
const { w0, ...others } = WATCHES;
const CHANGED: JsonObject = {
  w10: { ...(w0 as JsonObject), moved_from: "w0" },
  ...others,
  w6: { ...(others["w6"] as JsonObject), sink: ["s1", "s2"] },
  w9: { type: "mentions", accounts: ["clara2"], schedule, sink: ["s0", "s2"] },
};

const at = (min: number): number => Math.round(min * MIN_MS);
const post = (min: number, name: string, by: string, text: string) =>
  ({ do: "post", atMs: at(min), name, by, text, kind: "post" }) satisfies WorldOrder;

const BEFORE: readonly WorldOrder[] = [
  ...["anna0", "boris1", "clara2", "dan3", "edda4"].map(
    (handle) => ({ do: "account", atMs: -at(90), handle, change: {} }) as const,
  ),
  ...["fan0", "fan1", "fan2", "fan3"].map(
    (handle) => ({ do: "account", atMs: -at(90), handle, change: {} }) as const,
  ),
  post(-80, "old0", "dan3", "acme before"),
  post(-70, "old1", "dan3", "acme before that"),
  post(-60, "old2", "anna0", "nothing new"),
  post(-59, "old3", "boris1", "nothing new either"),
  post(-58, "old4", "dan3", "crane before"),
  post(-57, "old5", "dan3", "#launch before"),
  post(-56, "old6", "dan3", "bolt before"),
  post(-55, COUNTED_POSTS[0], "edda4", "counted"),
  post(-54, ARTICLE_POST, "edda4", "an article"),
  { do: "follow", atMs: -at(50), who: "fan0", whom: "anna0" },
  { do: "list", atMs: -at(50), id: FAN_LIST_ID, members: ["fan0", "fan1"] },
  { do: "count", atMs: -at(40), post: COUNTED_POSTS[0], change: { likes_count: 1 } },
];

const STEPS: readonly Step[] = [
  post(1, "p0", "dan3", "acme one"),
  post(1.1, "p1", "anna0", "something new"),
  post(1.2, "p2", "dan3", "crane one"),
  post(1.3, "p3", "dan3", "#launch one"),
  post(1.4, "p4", "dan3", "bolt one"),
  { do: "follow", atMs: at(1.5), who: "fan1", whom: "anna0" },
  { do: "member", atMs: at(1.6), group: FAN_LIST_ID, handle: "fan2", isIn: true },
  post(4, "p5", "dan3", "bolt two"),
  post(4.1, "p6", "dan3", "bolt three"),
  post(4.2, "p7", "dan3", "#launch two"),
  { do: "account", atMs: at(4.3), handle: "boris1", change: { description: "hiring" } },
  { do: "count", atMs: at(4.4), post: COUNTED_POSTS[0], change: { likes_count: 20 } },
  { do: "edit", atMs: at(4.5), post: "p1", text: "something newer" },
  {
    do: "silence",
    atMs: at(4.6),
    name: "quiet",
    matchers: ['watch="w1"', 'author="boris1"'],
    forMs: at(60),
  },
  post(5.5, "p8", "boris1", "not to be heard"),
  {
    ...{ do: "mark", atMs: at(6), nth: 0, by: "Ada", named: "event" },
    ...{ kind: "not_relevant", isUndo: false },
  },
  // Slack refuses the next alert for good.
  { do: "sink trouble", atMs: at(7), sink: "s1", kind: "refusing", times: 2 },
  post(7.1, "p9", "dan3", "acme two"),
  { do: "sink heals", atMs: at(11), sink: "s1" },
  { do: "ask", atMs: at(11.1), path: "/api/v1/dead/replay" },
  { do: "reload", atMs: at(11.5), config: config(CHANGED) },
  { do: "backfill", atMs: at(12.5), watch: "w10", query: "acme", posts: ["old0", "old1"] },
  post(13, "p10", "dan3", "acme three"),
  post(13.1, "p11", "dan3", "#launch three"),
  post(13.2, "p12", "dan3", "crane two"),
  post(13.3, "p13", "dan3", "hey @clara2"),
  { do: "member", atMs: at(13.4), group: FAN_LIST_ID, handle: "fan1", isIn: false },
  { do: "remove", atMs: at(14), post: "p1" },
];

/**
 * Returns the scenario. @param replicas one daemon on a file of its own, or several that share a
 * server
 */
export const canonical = (replicas: number): Scenario => ({
  ...{
    seed: 1,
    mode: "liveness",
    startMs: Date.UTC(2026, 5, 10, 12),
    busyMs: at(14.5),
    calmMs: at(11),
    isWholeCalm: true,
  },
  ...(replicas > 1 ? { replicas, lateMs: 900 } : {}),
  ...{
    config: config(WATCHES),
    files: {},
    keys: [{ key: "KEY-0", quota: 1_000_000 }],
    before: BEFORE,
    steps: STEPS,
  },
});
