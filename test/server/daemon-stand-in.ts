/**
 * A daemon for the server's tests: its views show a status that a test may change, and its actions
 * record their calls.
 */
import type { DeadView } from "../../src/server/schema/dead-view.ts";
import type { RefusedAttempt } from "../../src/model/history.ts";
import type { Log } from "../../src/model/log.ts";
import type {
  Actions,
  HoldAction,
  HoldAnswer,
  ReloadOutcome,
} from "../../src/server/contract/actions.ts";
import { unknownAlert } from "../../src/server/contract/delivery-words.ts";
import type { AddSilenceOutcome, SilenceView } from "../../src/server/schema/silence-view.ts";
import type { Trials } from "../../src/server/contract/trials.ts";
import type { ActivityView, WatchDaysView } from "../../src/server/schema/report-view.ts";
import type { EventEntry, EventsView } from "../../src/server/schema/event-view.ts";
import type { FoundItem, Health, Views } from "../../src/server/contract/views.ts";
import type { SinkView } from "../../src/server/schema/sink-view.ts";
import type { StatusView } from "../../src/server/schema/status-view.ts";
import type { WatchView } from "../../src/server/schema/watch-view.ts";

export const NOW_MS = Date.parse("2026-03-10T14:00:00Z");

export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};

export const watchView = (changes: Partial<WatchView> = {}): WatchView => ({
  id: "brand-mentions",
  type: "search",
  sink: "#brand",
  priority: "normal",
  paused: false,
  schedule: "@every 5m",
  targets: [{ name: '("acme corp" OR @acme) -from:acme', status: "ok", reason: "" }],
  member_lists: [],
  first_read: null,
  known_items: 212,
  last_poll_at: "2026-03-10T13:57:10.000Z",
  next_poll_at: "2026-03-10T14:02:10.000Z",
  polled_by: [],
  requests_spent: 3_204,
  problem: "",
  slowed: null,
  enriching: null,
  not_relevant: null,
  ...changes,
});

export const sinkView = (changes: Partial<SinkView> = {}): SinkView => ({
  name: "brand",
  type: "slack",
  place: "#brand",
  breaker: "closed",
  reason: "",
  hint: "",
  failing_since: null,
  next_attempt_at: null,
  waiting: 0,
  waits: [],
  repeats: null,
  escalations: [],
  oldest_at: null,
  sent: 418,
  dead: 0,
  ...changes,
});

export const eventEntry = (changes: Partial<EventEntry> = {}): EventEntry => ({
  type: "tweet.created",
  timestamp: "2026-03-10T13:57:10.400Z",
  title: "Alice (@alice) posted",
  text: "hello",
  url: "https://x.com/alice/status/1899000000000000001",
  author: "alice",
  acknowledged: null,
  not_relevant: null,
  deliveries: [{ sink: "brand", state: "summarised" }],
  data: { id: "e1", watch: "brand-mentions" },
  ...changes,
});

export const silenceView = (changes: Partial<SilenceView> = {}): SilenceView => ({
  id: "1",
  ...{ kind: "silence", sinks: [] },
  state: "active",
  matchers: ['watch="brand-mentions"'],
  starts_at: "2026-03-10T13:00:00.000Z",
  ends_at: "2026-03-10T15:00:00.000Z",
  author: "alice",
  comment: "a planned launch",
  silenced: [{ sink: "brand", alerts: 3 }],
  ...changes,
});

export const statusView = (changes: Partial<StatusView> = {}): StatusView => ({
  state: "running",
  reasons: [],
  version: "0.1.0",
  started_at: "2026-03-07T10:00:00.000Z",
  uptime_seconds: 273_600,
  upstream: { up: true, reason: "", since: "2026-03-07T10:00:01.000Z", next_attempt_at: null },
  quota: {
    limit: 100_000,
    spent: 31_408,
    line: 90_000,
    forecast: 92_400,
    expected: 90_000,
    on_exhausted: "degrade",
    stretch: { high: 1, normal: 1, low: 1.2 },
    drift: 0,
    keys: [{ name: "main", spent: 31_408, limit: 100_000, aside: "" }],
    period_start: "2026-03-01T00:00:00.000Z",
    period_end: "2026-04-01T00:00:00.000Z",
  },
  replicas: null,
  unclaimed: null,
  gaps: 0,
  open_gaps: [],
  watches: [watchView()],
  sinks: [sinkView()],
  silences: [],
  archive: { off: "", reads: 12, bytes: 1_048_576, since: "2026-03-01T00:00:00.000Z" },
  recent_events: [
    {
      id: "e1",
      type: "tweet.created",
      watch: "brand-mentions",
      title: "Alice (@alice) posted",
      text: "hello",
      url: "https://x.com/alice/status/1899000000000000001",
      occurred_at: "2026-03-10T13:56:58.000Z",
      detected_at: "2026-03-10T13:57:10.400Z",
      deliveries: [{ sink: "brand", state: "sent", wait: null }],
      acknowledged: null,
    },
  ],
  config: {
    file: "watches.yaml",
    loaded_at: "2026-03-09T08:00:00.000Z",
    warnings: [],
    last_reload: null,
    failed_reload: null,
  },
  ...changes,
});

const dayText = (ago: number) => new Date(NOW_MS - ago * 86_400_000).toISOString().slice(0, 10);

export const activityView = (): ActivityView => ({
  alerts: Array.from({ length: 30 }, (_, at) => ({ day: dayText(29 - at), count: (at * 7) % 23 })),
  requests: Array.from({ length: 9 * 24 + 14 }, (_, hour) => ({
    at: new Date(Date.parse("2026-03-01T00:00:00Z") + hour * 3_600_000).toISOString(),
    spent: 100 + ((hour * 37) % 71),
  })),
});

export const watchDaysView = (watch: string): WatchDaysView => ({
  watch,
  days: Array.from({ length: 14 }, (_, at) => ({
    day: dayText(13 - at),
    read: 200 + ((at * 31) % 90),
    filtered: 150 + ((at * 31) % 70),
    alerted: (at * 5) % 17,
    requests: 288,
  })),
});

export interface DaemonStandIn {
  readonly views: Views;
  readonly actions: Actions;
  readonly trials: Trials;
  dead: DeadView;
  refusals: readonly RefusedAttempt[];
  status: StatusView;
  health: () => Promise<Health>;
  reload: ReloadOutcome;
  found: FoundItem;
  events: EventsView;
  /** The outcome of adding a silence. */
  added: AddSilenceOutcome;
  /** Sends an event to the last caller that follows the daemon. */
  push: Parameters<Views["tail"]>[1];
  /** Whether what an alert's form asks for was already so. */
  isChangedAlready: boolean;
  /**
   * The calls received, such as `reload by API`, `pause brand-mentions`, `events {"limit":50}` and
   * `explain @alice`.
   */
  readonly asked: string[];
}

export function createDaemonStandIn(): DaemonStandIn {
  const asked: string[] = [];
  const changed = () => (daemon.isChangedAlready ? 0 : 1);
  const held: (action: string, request: HoldAction) => Promise<HoldAnswer> = async (
    action,
    { what, sink, length, by, from },
  ) => {
    asked.push(`${action} ${what} ${sink ?? "all"} ${length ?? "-"} by ${by} from ${from}`);
    if (what !== "e1")
      return { ok: false, problem: { code: "ALERT_UNKNOWN", message: unknownAlert(what) } };
    if (length === "soon")
      return { ok: false, problem: { code: "HOLD_INVALID", message: "not a length" } };
    const until = "2026-03-10T18:00:00.000Z";
    const one = { id: "7", sink: "brand", matchers: ['conversation="1"'], until, by };
    return {
      ...{ ok: true },
      view: { alerts: 1, changed: changed(), held: [{ ...one, change: "added" }], effect: "now" },
    };
  };
  const daemon: DaemonStandIn = {
    asked,
    isChangedAlready: false,
    dead: { groups: [], dead: [], sinks: ["brand"] },
    refusals: [],
    status: statusView(),
    health: () => Promise.resolve({ live: true, ready: true, reason: "" }),
    reload: { ok: true, changed: true, memory: [] },
    found: {
      itemId: null,
      histories: [],
      waits: new Map(),
      paths: new Map(),
      firstReads: [],
      unseen: null,
    },
    events: { events: [], next: null, searched_to: null },
    push: () => undefined,
    added: { ok: false, errors: ["the duration is missing"] },
    views: {
      health: () => daemon.health(),
      status: () => Promise.resolve(daemon.status),
      budget: () =>
        Promise.resolve({
          quota: daemon.status.quota,
          price: null,
          watches: [],
          endpoints: [],
          hours: [],
        }),
      metrics: () =>
        Promise.resolve(
          "# HELP chirpwatch_gaps Gaps.\n# TYPE chirpwatch_gaps gauge\nchirpwatch_gaps 0\n",
        ),
      events(query) {
        asked.push(`events ${JSON.stringify(query)}`);
        return Promise.resolve(daemon.events);
      },
      watch(id) {
        const watch = daemon.status.watches.find((one) => one.id === id);
        const gaps = daemon.status.open_gaps.filter(({ watches }) => watches.includes(id));
        return Promise.resolve(watch && { watch, gaps });
      },
      watchNames: () => daemon.status.watches.map(({ id }) => id),
      refusals: () => Promise.resolve(daemon.refusals),
      sinkNames: () => daemon.status.sinks.map(({ name }) => name),
      sinks: () => Promise.resolve(daemon.status.sinks),
      event: (id) => Promise.resolve(daemon.events.events.find(({ data }) => data["id"] === id)),
      activity: () => Promise.resolve(activityView()),
      watchDays: (id) =>
        Promise.resolve(
          daemon.status.watches.some((watch) => watch.id === id) ? watchDaysView(id) : undefined,
        ),
      explain(item) {
        asked.push(`explain ${item}`);
        return Promise.resolve(daemon.found);
      },
      dead(sink) {
        asked.push(`dead ${sink ?? "all"}`);
        return Promise.resolve(daemon.dead);
      },
      silences(withExpired) {
        asked.push(`silences${withExpired ? " with expired" : ""}`);
        return Promise.resolve({ silences: daemon.status.silences });
      },
      replay(request) {
        asked.push(`preview ${JSON.stringify(request)}`);
        return Promise.resolve({
          events: 1,
          alerts: [{ sink: "brand", alerts: 2, configured: true }],
          under_way: 0,
          silenced: 0,
        });
      },
      tail(filter, push) {
        asked.push(`tail ${JSON.stringify(filter)}`);
        daemon.push = push;
        return () => void asked.push("tail ended");
      },
      render({ what, sink }) {
        asked.push(`render ${what} ${sink}`);
        if (what !== "e1") return Promise.resolve(`there is no event "${what}"`);
        const event = { id: "e1", type: "tweet.created", watch: "brand-mentions" };
        return Promise.resolve({
          event,
          sink,
          sample: false,
          template: "short",
          problem: "",
          text: "Alice posted",
          payload: { text: "Alice posted" },
        });
      },
      report: ({ name }) =>
        Promise.resolve(`there is no report "${name ?? ""}"; none is defined under \`reports\``),
      replays: () =>
        Promise.resolve({
          replays: [
            {
              id: "7",
              at: "2026-03-10T13:57:10.000Z",
              action: "replay event",
              detail: { by: "alice" },
            },
          ],
        }),
    },
    trials: {
      testSink(sink, by) {
        asked.push(`test sink ${sink} by ${by}`);
        const known = daemon.status.sinks.find(({ name }) => name === sink);
        return Promise.resolve(known && { error: known.reason });
      },
      testPrice: (id) =>
        Promise.resolve(
          daemon.status.watches.some((watch) => watch.id === id)
            ? { requests: 2, leftOut: 1 }
            : undefined,
        ),
      testWatch(id, by) {
        if (daemon.status.watches.every((watch) => watch.id !== id))
          return Promise.resolve(undefined);
        asked.push(`test ${id} by ${by}`);
        const items = [
          { title: "Alice (@alice) posted", text: "hello", rejected: "" },
          { title: "Bob (@bob) posted", text: "spam", rejected: "the words contain spam" },
        ];
        return Promise.resolve([{ name: "@acme", problem: "", items }]);
      },
      backfillPrice: () => Promise.resolve({ requests: 12.4, unread: 1 }),
      backfill(request) {
        asked.push(`backfill ${JSON.stringify(request)}`);
        return Promise.resolve({ alerts: 3, requests: 12, cut: "" });
      },
    },
    actions: {
      reload(askedBy) {
        asked.push(`reload by ${askedBy}`);
        return Promise.resolve(daemon.reload);
      },
      setPaused(watchId, paused, { isFromNow }) {
        asked.push(`${paused ? "pause" : "resume"} ${watchId}${isFromNow ? " from now" : ""}`);
        const known = daemon.status.watches.find((watch) => watch.id === watchId);
        if (known === undefined) return Promise.resolve(undefined);
        return Promise.resolve({
          watch: watchId,
          paused,
          was_paused: known.paused,
          away_since: null,
          on_return: "digest",
          effect: "now",
        });
      },
      resumeSink(sink, by) {
        asked.push(`resume sink ${sink} by ${by ?? "nobody"}`);
        return Promise.resolve(
          daemon.status.sinks.some(({ name }) => name === sink)
            ? { sink, was_disabled: true, effect: "now" }
            : undefined,
        );
      },
      acknowledgeDead(sink, by) {
        asked.push(`acknowledge ${sink ?? "all"} by ${by ?? "nobody"}`);
        return Promise.resolve(daemon.dead.dead.length);
      },
      resendDead({ sink, by }) {
        asked.push(`resend ${sink ?? "all"} by ${by}`);
        return Promise.resolve({
          messages: daemon.dead.dead.length,
          alerts: daemon.dead.dead.length,
          effect: "now",
        });
      },
      backfill(request) {
        asked.push(`backfill ${JSON.stringify(request)}`);
        return Promise.resolve(
          request.watchId === "brand"
            ? { alerts: 2, filtered: 1, known: 3, left: 0, effect: "within a minute" }
            : undefined,
        );
      },
      replay(request) {
        asked.push(`replay ${JSON.stringify(request)}`);
        return Promise.resolve({ alerts: 2, effect: "now" });
      },
      acknowledge({ what, isUndo, by, from }) {
        asked.push(`${isUndo ? "unacknowledge" : "acknowledge"} ${what} by ${by} from ${from}`);
        if (what !== "e1") return Promise.resolve(undefined);
        const acknowledged = isUndo ? null : { by, from, at: "2026-03-10T13:58:00.000Z" };
        return Promise.resolve({ alerts: 1, changed: changed(), acknowledged, effect: "now" });
      },
      markNotRelevant({ what, isUndo, by, from }) {
        asked.push(`${isUndo ? "relevant" : "not relevant"} ${what} by ${by} from ${from}`);
        if (what !== "e1") return Promise.resolve(undefined);
        const mark = isUndo ? null : { by, from, at: "2026-03-10T13:58:00.000Z" };
        return Promise.resolve({
          alerts: 1,
          changed: changed(),
          not_relevant: mark,
          effect: "now",
        });
      },
      snooze: (request) => held("snooze", request),
      muteAuthor: (request) => held("mute author", request),
      addSilence(request) {
        asked.push(`silence ${JSON.stringify(request)}`);
        const { added } = daemon;
        return Promise.resolve(
          added.ok ? { ok: true, silence: { ...added.silence, effect: "now" } } : added,
        );
      },
      expireSilence(id, by) {
        asked.push(`expire ${id} by ${by ?? "nobody"}`);
        const found = daemon.status.silences.find((silence) => silence.id === id);
        return Promise.resolve(found && { ...found, effect: "now" });
      },
      resendSilenced({ sink, silenceId, by }) {
        asked.push(`resend silenced ${sink ?? "all"} ${silenceId ?? "all"} by ${by}`);
        return Promise.resolve({ alerts: 2, effect: "now" });
      },
    },
  };
  return daemon;
}
