/**
 * The views of a running daemon that its server reads: health, status, events, explanations,
 * metrics. Read-only.
 */
import type { ReportQuery } from "../../model/report.ts";
import { reportView } from "./report-view.ts";
import { formatIssue } from "../../config/report.ts";
import type { UpstreamTrouble } from "../../engine/health/upstream-monitor.ts";
import { countGaps } from "../../engine/loop/poll-history.ts";
import { isoTime, sleep } from "../../model/clock.ts";
import { yieldToEventLoop } from "../../model/steps.ts";
import type { EventQuery } from "../../model/history.ts";
import type { SourceState } from "../../model/poll-store.ts";
import type { BudgetView } from "../../server/schema/budget-view.ts";
import type { DaemonState, StatusView } from "../../server/schema/status-view.ts";
import type { EventsView } from "../../server/schema/event-view.ts";
import type { FoundItem, Health, StatusQuery, Views } from "../../server/contract/views.ts";
import type { ReplayRequest } from "../../server/schema/replay-view.ts";
import type { TailFilter, TailLine } from "../../server/schema/tail-view.ts";
import { deadReasons, readDead } from "../alerts/dead-letters.ts";
import { previewReplay, readReplays } from "../alerts/replays.ts";
import { readSilences } from "../alerts/silence-actions.ts";
import { renderEvent, type RenderRequest } from "./render-event.ts";
import { readArchive } from "../archive/archive-view.ts";
import { createDays, type Days } from "../reports/days.ts";
import { createPathReader } from "./delivery-path.ts";
import { eventEntry, eventsView, searchEvents } from "./events-view.ts";
import { findItem, unseenItem } from "./find-item.ts";
import { gapViews, stuckGapReasons } from "./gaps-view.ts";
import { budgetView, isQuotaSpent, quotaFacts, quotaView } from "./quota-view.ts";
import { reasonsOf, type Troubles, upstreamText } from "./reasons.ts";
import { renderMetrics } from "./scrape.ts";
import { pollsOfOthers, replicaViews, unclaimedView } from "./replicas-view.ts";
import { createWatchReader, eventLine, type WatchReader } from "./status-view.ts";
import { readSinks } from "./sinks-view.ts";
import { strandedReasons } from "../alerts/stranded.ts";
import { followActivity } from "./tail.ts";
import { createWaitReader } from "../alerts/waiting.ts";
import { explainUnseen, inFirstRead } from "./unseen.ts";
import type { ViewsDeps } from "./views-deps.ts";

/**
 * The poll loop counts as stalled if it makes no turn for this long. A healthy loop makes a turn at
 * least every 30 s, so four turns are missing by then.
 */
const STALLED_MS = 120_000;
/**
 * How many ms a health check waits for the state. This is shorter than the usual timeout of a
 * probe.
 */
const STATE_ANSWERS_WITHIN_MS = 2_000;
const RECENT_EVENTS = 20;
const MAX_REFUSALS = 10;

export const createViews = (parts: ViewsDeps): Views => new DaemonViews(parts);

class DaemonViews implements Views {
  readonly #parts: ViewsDeps;
  readonly #days: Days;
  readonly #readWatches: WatchReader;

  constructor(parts: ViewsDeps) {
    this.#parts = parts;
    this.#days = createDays(parts);
    this.#readWatches = createWatchReader(parts);
  }

  async health(): Promise<Health> {
    const { clock, engine, storeMonitor } = this.#parts;
    if (clock.monotonic() - engine.loop.lastTurnMs > STALLED_MS)
      return { live: false, ready: false, reason: "the poll loop makes no progress" };
    const answered = new AbortController();
    const late = sleep(clock, STATE_ANSWERS_WITHIN_MS, answered.signal).then(
      () => "the state does not answer",
    );
    const written = storeMonitor
      .prove()
      .then((failure) => (failure === undefined ? undefined : "the state cannot be written"));
    const failure = await Promise.race([written, late]).finally(() => answered.abort());
    const { revisions } = this.#parts;
    return failure === undefined
      ? { live: true, ready: !revisions.isWaiting(), reason: revisions.superseded() ?? "" }
      : { live: false, ready: false, reason: failure };
  }

  async status({ maxWellWatches }: StatusQuery = {}): Promise<StatusView> {
    const {
      store,
      clock,
      engine,
      quotaMonitor,
      upstreamMonitor,
      storeMonitor,
      lastRefusal,
      startedAtMs,
      loadedAtMs,
      deps,
      revisions,
    } = this.#parts;
    const config = this.#parts.config();
    const known = await this.#sources();
    await quotaMonitor.refresh(engine.polls);
    await yieldToEventLoop();
    const trouble = upstreamMonitor.trouble;
    const { views: sinks, stats, readWait } = await readSinks(store, config, this.#sinkFacts());
    const fleet = await this.#fleet(known);
    await yieldToEventLoop();
    const watches = await this.#readWatches({
      known,
      others: fleet?.pollsOfOthers,
      maxWellWatches,
    });
    await yieldToEventLoop();
    const recent = await store.recentRecords(RECENT_EVENTS);
    const quota = quotaFacts(this.#parts);
    const dead = await deadReasons(store, config, clock.now());
    const refusal = lastRefusal();
    const templates = this.#parts.delivery().templates?.failing() ?? [];
    const troubles = {
      store: storeMonitor.trouble,
      upstream: trouble === undefined ? undefined : upstreamText(trouble),
      quota,
      sinks,
      dead,
      watches,
      templates,
      refusal,
      superseded: revisions.superseded(),
    };
    const gaps = await engine.openGaps();
    const reasons = [
      ...reasonsOf(troubles),
      ...stuckGapReasons(gaps, clock.now()),
      ...strandedReasons(config, stats),
      ...this.#parts.chatTroubles(),
    ];
    return {
      state: stateOf(troubles, upstreamMonitor.isStopped, reasons),
      reasons,
      version: deps.version,
      started_at: isoTime(startedAtMs),
      replicas: fleet?.views ?? null,
      unclaimed: fleet?.unclaimed ?? null,
      uptime_seconds: Math.round((clock.now() - startedAtMs) / 1_000),
      upstream: upstreamView(trouble),
      quota: quotaView(quota),
      gaps: countGaps(gaps),
      open_gaps: gapViews(gaps),
      watches,
      sinks,
      silences: (await this.silences(false)).silences,
      recent_events: recent.map((record) => eventLine(record, config.linksHost, readWait)),
      archive: await readArchive(store, this.#parts.archiving.offReason()),
      config: {
        file: config.files[0] ?? "",
        loaded_at: isoTime(loadedAtMs()),
        warnings: config.warnings.map(formatIssue),
        last_reload: this.#parts.lastReload(),
        failed_reload: troubles.refusal,
      },
    };
  }

  async budget(): Promise<BudgetView> {
    const { quotaMonitor, engine, store, config, clock } = this.#parts;
    await quotaMonitor.refresh(engine.polls);
    const { startMs } = quotaMonitor.status.period;
    const quota = quotaFacts(this.#parts);
    const { lines } = await store.spentSince(startMs);
    const hours = await store.spentByHour(startMs);
    return budgetView(quota, { lines, hours, config: config(), nowMs: clock.now() });
  }

  async events(query: EventQuery): Promise<EventsView> {
    return eventsView(await searchEvents(this.#parts, query), this.#parts.config().linksHost);
  }

  async watch(id: string): ReturnType<Views["watch"]> {
    const { quotaMonitor, engine } = this.#parts;
    await quotaMonitor.refresh(engine.polls);
    const known = await this.#sources();
    const others = (await this.#fleet(known))?.pollsOfOthers;
    const [watch] = await this.#readWatches({ known, others, only: id });
    const open = gapViews(await engine.openGaps());
    return watch && { watch, gaps: open.filter(({ watches }) => watches.includes(id)) };
  }

  watchNames(): readonly string[] {
    const { watches } = this.#parts.config();
    return watches.flatMap(({ id, enabled }) => (enabled ? [id] : []));
  }

  refusals(sink: string): ReturnType<Views["refusals"]> {
    return this.#parts.store.lastRefusals(sink, MAX_REFUSALS);
  }

  sinkNames(): readonly string[] {
    return this.#parts.config().sinks.map(({ name }) => name);
  }

  async sinks(): ReturnType<Views["sinks"]> {
    return (await readSinks(this.#parts.store, this.#parts.config(), this.#sinkFacts())).views;
  }

  async event(id: string): ReturnType<Views["event"]> {
    const { store, config } = this.#parts;
    const [record] = await store.eventRecords([id]);
    return record && eventEntry(record, config().linksHost);
  }

  async explain(item: string): Promise<FoundItem> {
    const { store, config } = this.#parts;
    const { pauses, nowMs } = this.#sinkFacts();
    const health = await store.loadSinkHealth();
    const readWait = createWaitReader({ config: config(), health, pauses, nowMs });
    const readPath = createPathReader(config(), await store.listSilences());
    const found = await findItem(store, item, { readWait, readPath });
    if (found.histories.length > 0) return { ...found, firstReads: [], unseen: null };
    const states = await store.listWatches();
    const firstReads = inFirstRead(config().watches, states);
    const once = {
      listWatches: async () => states,
      loadSources: (keys: readonly string[]) => store.loadSources(keys),
    };
    const parts = { store: once, config: config(), polls: this.#parts.engine.polls, nowMs };
    const { itemId } = found;
    return {
      ...found,
      firstReads,
      unseen: itemId === null ? null : await explainUnseen(parts, unseenItem(item, itemId, nowMs)),
    };
  }

  dead(sink: string | undefined): ReturnType<Views["dead"]> {
    return readDead(this.#parts.store, this.#parts.config(), sink);
  }

  silences(withExpired: boolean): ReturnType<Views["silences"]> {
    return readSilences(this.#parts.store, this.#parts.clock.now(), withExpired);
  }

  replay(request: ReplayRequest): ReturnType<Views["replay"]> {
    const { store, config, clock } = this.#parts;
    return previewReplay(store, config(), request, clock.now());
  }

  render(request: RenderRequest): ReturnType<Views["render"]> {
    const { store, config, clock, delivery } = this.#parts;
    const { sinks, templates } = delivery();
    const createSink = async ({ name }: { readonly name: string }) =>
      sinks.get(name)?.sink ?? Promise.reject(new Error(`there is no sink ${name}`));
    return renderEvent(
      { store, config: config(), clock, runner: templates?.runner, createSink },
      request,
    );
  }

  report(query: ReportQuery): ReturnType<Views["report"]> {
    const { store, config, clock } = this.#parts;
    return reportView({ store, config: config(), clock }, query);
  }

  activity(): ReturnType<Views["activity"]> {
    return this.#days.ofAll(this.#parts.quotaMonitor.status.period.startMs);
  }

  watchDays(watchId: string): ReturnType<Views["watchDays"]> {
    return this.#days.ofWatch(watchId);
  }

  replays(): ReturnType<Views["replays"]> {
    return readReplays(this.#parts.store);
  }

  tail(filter: TailFilter, push: (line: TailLine) => void): () => void {
    const { feed, store, clock, config } = this.#parts;
    return followActivity(
      { feed, store, clock, linksHost: () => config().linksHost },
      filter,
      push,
    );
  }

  metrics(): Promise<string> {
    return renderMetrics(this.#parts);
  }

  async #sources(): Promise<ReadonlyMap<string, SourceState>> {
    const { store, engine } = this.#parts;
    const states = await store.loadSources(engine.polls.map(({ key }) => key));
    return new Map(states.map((state) => [state.fingerprint, state]));
  }

  /** Returns the replicas and their work; undefined if this daemon is alone on its state. */
  async #fleet(known: ReadonlyMap<string, SourceState>) {
    const { store, engine } = this.#parts;
    if (store.membership === undefined) return undefined;
    const { id } = store.membership;
    const [all, claims] = [await store.replicas(), await store.claims()];
    const lastPolls = new Map(
      engine.polls.map(({ key }) => [key, known.get(key)?.lastPollAtMs ?? null]),
    );
    return {
      views: replicaViews(all, claims, id),
      unclaimed: unclaimedView(all, claims, lastPolls),
      pollsOfOthers: pollsOfOthers(all, claims, id),
    };
  }

  #sinkFacts() {
    return { pauses: this.#parts.delivery().pump.pauses(), nowMs: this.#parts.clock.now() };
  }
}

const upstreamView = (trouble: UpstreamTrouble | undefined): StatusView["upstream"] => ({
  up: trouble === undefined,
  reason: trouble?.reason ?? "",
  since: trouble === undefined ? null : isoTime(trouble.sinceMs),
  next_attempt_at: trouble?.untilMs === undefined ? null : isoTime(trouble.untilMs),
});

function stateOf(
  { store, upstream, quota }: Troubles,
  isStopped: boolean,
  reasons: readonly string[],
): DaemonState {
  if (store !== undefined || (upstream !== undefined && isStopped) || isQuotaSpent(quota))
    return "paused";
  return reasons.length > 0 ? "degraded" : "running";
}
