/** Builds the snapshot that the status page, the API and `chirpwatch status` show. */
import { isoTime } from "../../model/clock.ts";
import { formatDuration } from "../../model/duration.ts";
import type { SlowedWatch } from "../../engine/quota/slowed-watches.ts";
import type { FailingEnrichment } from "../../enrich/enricher.ts";
import type { EnrichmentBacklog } from "../../model/enrichment.ts";
import type { EventRecord } from "../../model/history.ts";
import type { MarkStore, NotRelevantCount } from "../../model/marks.ts";
import type { SourceState } from "../../model/poll-store.ts";
import { shardOf } from "../../model/replicas.ts";
import { yieldToEventLoop } from "../../model/steps.ts";
import type { WatchState } from "../../model/watch-store.ts";
import type { Timing } from "../../model/schedule.ts";
import type { Watch } from "../../model/watch.ts";
import { cleanLine } from "../../render/text/clean-text.ts";
import { trimText } from "../../render/text/trim-text.ts";
import { markView } from "../../server/contract/delivery-words.ts";
import type { EventLine } from "../../server/schema/event-view.ts";
import type { WatchView } from "../../server/schema/watch-view.ts";
import type { StatusQuery } from "../../server/contract/views.ts";
import { isReadingType } from "../../watches/registry.ts";
import { createReader } from "../create-reader.ts";
import { createSpentByWatch } from "../reports/spent-by-watch.ts";
import { textOf } from "./events-view.ts";
import { memberListViews } from "./member-list-view.ts";
import type { WaitReader } from "../alerts/waiting.ts";
import type { ViewsDeps } from "./views-deps.ts";

/** Returns a watch's schedule as text, or its `freshness` if it has one instead. */
export function timingText(timing: Timing): string {
  if (timing.kind === "schedule") {
    const { schedule } = timing;
    return schedule.kind === "every"
      ? `@every ${formatDuration(schedule.intervalMs)}`
      : `${schedule.pattern} (${schedule.timezone})`;
  }
  const { freshness } = timing;
  return freshness.kind === "p95"
    ? `within ${formatDuration(freshness.p95Ms)}`
    : `mean ${formatDuration(freshness.meanMs)}, at most ${formatDuration(freshness.maxMs)}`;
}

const isoOrNull = (epochMs: number | null | undefined): string | null =>
  epochMs === null || epochMs === undefined ? null : isoTime(epochMs);

/**
 * Returns how much a watch has recorded: the number of items with a verdict or, if the watch
 * compares values, the number of targets whose first value is known.
 */
export const notedItems = (
  type: string,
  { knownItems, targets }: Pick<WatchState, "knownItems" | "targets">,
): number =>
  isReadingType(type)
    ? targets.filter(({ baselineAtMs }) => baselineAtMs !== null).length
    : knownItems;

export interface WatchFacts {
  readonly state: WatchState | undefined;
  readonly sink: string;
  readonly lastPollMs: number | undefined;
  readonly nextPollMs: number | undefined;
  /** The names of other replicas that poll the watch. */
  readonly polledBy?: readonly string[];
  readonly spent: number;
  readonly problem: string;
  /** Undefined if the quota does not slow the watch down, or if no daemon runs. */
  readonly slowed?: SlowedWatch | undefined;
  /** How many pages its running first reads have read; undefined if none runs. */
  readonly firstReadPages?: number | undefined;
  /** Undefined if none of the watch's events waits for its enrichment. */
  readonly backlog?: EnrichmentBacklog | undefined;
  /** Undefined if the last request for an enrichment was answered. */
  readonly failing?: FailingEnrichment | undefined;
  /** Undefined if nobody marked an alert of the watch as not relevant. */
  readonly notRelevant?: NotRelevantCount | undefined;
}

export function watchView(watch: Watch, facts: WatchFacts): WatchView {
  const lists = memberListViews(watch, facts.state?.targets ?? []);
  return {
    id: watch.id,
    type: watch.type,
    sink: facts.sink,
    priority: watch.priority,
    paused: facts.state?.paused ?? false,
    schedule: timingText(watch.timing),
    targets: (facts.state?.targets ?? []).map(({ name, status, statusReason }) => ({
      name,
      status,
      reason: statusReason,
    })),
    member_lists: lists,
    first_read: firstReadView(facts, lists),
    known_items: facts.state === undefined ? 0 : notedItems(watch.type, facts.state),
    last_poll_at: isoOrNull(facts.lastPollMs),
    next_poll_at: isoOrNull(facts.nextPollMs),
    polled_by: facts.polledBy ?? [],
    requests_spent: facts.spent,
    problem: facts.problem,
    slowed: slowedView(facts),
    enriching: enrichingView(facts),
    not_relevant: notRelevantView(facts),
  };
}

function slowedView({ slowed }: WatchFacts): WatchView["slowed"] {
  if (slowed === undefined) return null;
  const factor = slowed.factor === undefined ? null : Number(slowed.factor.toFixed(1));
  return { factor, until: isoTime(slowed.untilMs), next_poll_at: isoOrNull(slowed.nextPollMs) };
}

const notRelevantView = ({ notRelevant: count }: WatchFacts): WatchView["not_relevant"] =>
  count === undefined
    ? null
    : {
        ...{ marked: count.marked, alerts: count.alerts },
        ...{ top_author: count.topAuthor, by_top_author: count.byTopAuthor },
      };

/** How far back status and page count what was marked as not relevant. */
const COUNTED_MS = 7 * 86_400_000;

/** Reads the counts of what was marked as not relevant, by the keys of watches. */
export const readNotRelevant = async (
  store: Pick<MarkStore, "countNotRelevant">,
  nowMs: number,
): Promise<ReadonlyMap<string, NotRelevantCount>> =>
  new Map(
    (await store.countNotRelevant(nowMs - COUNTED_MS)).map((count) => [count.watchKey, count]),
  );

function enrichingView({ backlog, failing }: WatchFacts): WatchView["enriching"] {
  if (backlog === undefined && failing === undefined) return null;
  const error =
    backlog === undefined || backlog.error === "" ? (failing?.reason ?? "") : backlog.error;
  const times = {
    oldest_at: isoOrNull(backlog?.oldestAtMs),
    failing_since: isoOrNull(failing?.sinceMs),
  };
  return { waiting: backlog?.waiting ?? 0, error, ...times };
}

/**
 * Returns how far the first reads of a watch are. Null if no first read is under way, and for a
 * paused watch. A long list whose first read is not complete is left out, because it is shown
 * separately.
 */
export function firstReadView(
  { state, firstReadPages }: Pick<WatchFacts, "state" | "firstReadPages">,
  lists: WatchView["member_lists"],
): WatchView["first_read"] {
  if (state === undefined || state.paused) return null;
  const pending = state.targets.filter(({ status }) => status === "pending");
  if (pending.length === 0) return null;
  const inPart = new Set(
    lists.flatMap(({ target, first_read_members: read }) => (read === null ? [] : [target])),
  );
  const left = pending.filter(({ name }) => !inPart.has(name)).length;
  return left === 0 ? null : { targets_left: left, pages: firstReadPages ?? null };
}

/** The characters of an event's text that the status shows. */
const MAX_LINE_TEXT = 200;

/** Returns an event in one line, with the state of its deliveries. */
export function eventLine(
  { event, deliveries, acknowledged }: EventRecord,
  linksHost: string,
  readWait: WaitReader,
): EventLine {
  const message = createReader(linksHost)({ event, watches: [event.watch] });
  return {
    id: event.id,
    type: event.type,
    watch: event.watch,
    title: message.title,
    text: trimText(cleanLine(textOf(message)), MAX_LINE_TEXT),
    url: message.url ?? null,
    occurred_at: isoTime(event.occurredAtMs),
    detected_at: isoTime(event.detectedAtMs),
    acknowledged: markView(acknowledged),
    deliveries: deliveries.map(({ sink, state, wait }) => ({
      sink,
      state,
      wait: wait === null ? null : readWait(sink, wait),
    })),
  };
}

/** How many watches are described before other callbacks get their turn. */
const WATCHES_AT_ONCE = 500;

export interface WatchQuery {
  /** The sources of all polls, by the key of the poll. */
  readonly known: ReadonlyMap<string, SourceState>;
  /** Which other replica makes the polls of each shard; absent if this daemon is alone. */
  readonly others?: ReadonlyMap<string, string> | undefined;
  /** The id of the only watch. */
  readonly only?: string;
  readonly maxWellWatches?: StatusQuery["maxWellWatches"] | undefined;
}

/** Returns the enabled watches, in the order of the configuration. */
export type WatchReader = (query: WatchQuery) => Promise<readonly WatchView[]>;

export function createWatchReader(parts: ViewsDeps): WatchReader {
  const { store, quotaMonitor, engine, config, routing, clock } = parts;
  const spentByWatch = createSpentByWatch({
    ...{ store, clock },
    countWatches: () => config().watches.length,
  });
  /** Returns why the first failing poll of a watch failed; "" if none fails. */
  const problemOf = (watchId: string): string => {
    for (const { key } of engine.pollsOf(watchId)) {
      const problem = engine.problemOf(key);
      if (problem !== "") return problem;
    }
    return "";
  };
  return async ({ known, others = new Map(), only, maxWellWatches }) => {
    const failing = parts.failingEnrichments();
    const enabled = config().watches.filter(
      ({ id, enabled }) => enabled && (only === undefined || id === only),
    );
    const slowed = await engine.slowedWatches(enabled);
    const watches =
      maxWellWatches === undefined
        ? enabled
        : withoutMostWell(enabled, maxWellWatches, [
            ...slowed.keys(),
            ...(await store.stoppedWatches()),
            ...enabled.flatMap(({ id }) => (problemOf(id) === "" ? [] : [id])),
          ]);
    const isWhole = only === undefined && watches.length === enabled.length;
    const listed = await store.listWatches(isWhole ? undefined : watches.map(({ id }) => id));
    const states = new Map(listed.map((state) => [state.id, state]));
    const spent = await spentByWatch(quotaMonitor.status.period.startMs);
    const backlogs = new Map(
      (await store.enrichmentBacklog()).map((backlog) => [backlog.watchKey, backlog]),
    );
    const notRelevant = await readNotRelevant(store, clock.now());
    const readPages = engine.firstReadPages();
    const views: WatchView[] = [];
    for (const watch of watches) {
      if (views.length % WATCHES_AT_ONCE === WATCHES_AT_ONCE - 1) await yieldToEventLoop();
      const polls = engine.pollsOf(watch.id);
      const state = states.get(watch.id);
      const times = polls
        .map(({ key }) => known.get(key)?.lastPollAtMs ?? 0)
        .filter((time) => time > 0);
      views.push(
        watchView(watch, {
          ...{ state, problem: problemOf(watch.id) },
          backlog: backlogs.get(state?.key ?? ""),
          notRelevant: notRelevant.get(state?.key ?? ""),
          failing: watch.enrich === undefined ? undefined : failing.get(state?.key ?? ""),
          sink: routing().describe(watch),
          lastPollMs: times.length === 0 ? undefined : Math.max(...times),
          nextPollMs: engine.nextPollAt(watch.id),
          polledBy: [...new Set(polls.flatMap(({ key }) => others.get(shardOf(key)) ?? []))],
          spent: spent.get(watch.id) ?? 0,
          firstReadPages: readPages.get(watch.id),
          slowed: slowed.get(watch.id),
        }),
      );
    }
    return views;
  };
}

/** Returns the named watches and at most `maxWell` of the others, in their order. */
function withoutMostWell(
  watches: readonly Watch[],
  maxWell: number,
  named: readonly string[],
): readonly Watch[] {
  const always = new Set(named);
  let well = 0;
  return watches.filter(({ id }) => always.has(id) || (well += 1) <= maxWell);
}
