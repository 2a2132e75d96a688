/**
 * Answers the views of the API from the state when no daemon runs here. Facts that only a running
 * daemon knows are left out.
 */
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../model/clock.ts";
import { ExitError } from "../../model/exit-code.ts";
import type { Files } from "../../model/files.ts";
import type { Hash } from "../../model/hash.ts";
import type { Http } from "../../model/http.ts";
import type { Log } from "../../model/log.ts";
import type { Outputs } from "../../model/outputs.ts";
import { planPolls } from "../../plan/polls/plan-polls.ts";
import { startTemplateWorker } from "../../runtime/threads/template-worker.ts";
import { createTimetable } from "../../schedule/timetable.ts";
import type { ApiViews, FoundItem } from "../../server/contract/views.ts";
import type { StoppedView } from "../../server/schema/status-view.ts";
import type { OpenedStore } from "../../state/open.ts";
import { createSink } from "../alerts/create-sink.ts";
import { deadReasons, readDead } from "../alerts/dead-letters.ts";
import { previewReplay, readReplays } from "../alerts/replays.ts";
import { readSilences } from "../alerts/silence-actions.ts";
import { createWaitReader } from "../alerts/waiting.ts";
import { planWatches } from "../plan/configured-polls.ts";
import { readStoppedQuota } from "../plan/stopped-quota.ts";
import { archiveOffReason, readArchive } from "../archive/archive-view.ts";
import { createDays } from "../reports/days.ts";
import { createPathReader } from "../views/delivery-path.ts";
import { eventEntry, eventsView } from "../views/events-view.ts";
import { findItem, unseenItem } from "../views/find-item.ts";
import { budgetView, quotaView } from "../views/quota-view.ts";
import { type RenderParts, renderEvent } from "../views/render-event.ts";
import { replicaViews } from "../views/replicas-view.ts";
import { readSinks } from "../views/sinks-view.ts";
import { eventLine, type WatchFacts, readNotRelevant, watchView } from "../views/status-view.ts";
import { reportView } from "../views/report-view.ts";
import { explainUnseen } from "../views/unseen.ts";

export interface OfflineViewParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly files: Files;
  readonly http: Http;
  readonly outputs: Outputs;
  readonly log: Log;
  readonly write: (text: string) => void;
  /** Opens the state when it is first needed. @throws ExitError if it cannot be read */
  readonly store: () => Promise<OpenedStore>;
}

const NOT_RUNNING = "no daemon is running on this state: start it with chirpwatch run";
const ELSEWHERE = "no daemon is running on this state here; this is what the state contains";
const RECENT_EVENTS = 20;

export function createOfflineViews(parts: OfflineViewParts): ApiViews {
  const { config, clock, store } = parts;
  return {
    status: async () => readStatus(parts, await store()),
    async budget() {
      const { facts, spending } = await readStoppedQuota(await store(), config, parts);
      return budgetView(facts, spending);
    },
    events: async (query) => eventsView(await (await store()).findEvents(query), config.linksHost),
    async event(id) {
      const [record] = await (await store()).eventRecords([id]);
      return record && eventEntry(record, config.linksHost);
    },
    explain: async (item) => explain(parts, await store(), item),
    dead: async (sink) => readDead(await store(), config, sink),
    silences: async (withExpired) => readSilences(await store(), clock.now(), withExpired),
    replay: async (request) => previewReplay(await store(), config, request, clock.now()),
    replays: async () => readReplays(await store()),
    report: async (query) => reportView({ store: await store(), config, clock }, query),
    async activity() {
      const { facts } = await readStoppedQuota(await store(), config, parts);
      return createDays({ store: await store(), clock }).ofAll(facts.period.startMs);
    },
    watchDays: async (id) => createDays({ store: await store(), clock }).ofWatch(id),
    render: (request) => render(parts, request),
  };
}

/**
 * Returns the status of a state. It has those fields of a running daemon's status that can be read
 * from the state.
 */
async function readStatus(parts: OfflineViewParts, store: OpenedStore): Promise<StoppedView> {
  const { config, clock } = parts;
  const { facts, spending } = await readStoppedQuota(store, config, parts);
  const states = await store.listWatches();
  const { views, readWait } = await readSinks(store, config, {
    pauses: new Map(),
    nowMs: clock.now(),
  });
  const recent = await store.recentRecords(RECENT_EVENTS);
  const notRelevant = await readNotRelevant(store, clock.now());
  const keyOf = (id: string) => states.find((state) => state.id === id)?.key ?? "";
  const factsOf = (id: string): WatchFacts => ({
    state: states.find((state) => state.id === id),
    notRelevant: notRelevant.get(keyOf(id)),
    sink: "",
    lastPollMs: undefined,
    nextPollMs: undefined,
    spent: spending.lines
      .filter(({ watch }) => watch === id)
      .reduce((sum, { requests }) => sum + requests, 0),
    problem: "",
  });
  const replicas = replicaViews(await store.connectedReplicas(), await store.claims(), undefined);
  const isElsewhere = replicas.length > 0;
  return {
    state: isElsewhere ? "elsewhere" : "not_running",
    replicas,
    reasons: [
      isElsewhere ? ELSEWHERE : NOT_RUNNING,
      ...(await deadReasons(store, config, clock.now())),
    ],
    // No polls run here, so there is no forecast.
    quota: { ...quotaView(facts), forecast: null, expected: null },
    watches: config.watches
      .filter(({ enabled }) => enabled)
      .map((watch) => watchView(watch, factsOf(watch.id))),
    sinks: views,
    silences: (await readSilences(store, clock.now(), false)).silences,
    recent_events: recent.map((record) => eventLine(record, config.linksHost, readWait)),
    archive: await readArchive(store, await offReasonOf(parts)),
  };
}

async function offReasonOf({ config: { state }, files }: OfflineViewParts) {
  const isHere = state.postgres === undefined && files.freeBytes !== undefined;
  return archiveOffReason(state, isHere ? await files.freeBytes?.(state.path) : undefined);
}

/**
 * Explains an item. Without a daemon, the waits that sinks asked for are not known. Polls are
 * planned without groups, because grouping does not change which items a watch can see.
 */
async function explain(
  { config, clock, hash }: OfflineViewParts,
  store: OpenedStore,
  item: string,
): Promise<FoundItem> {
  const nowMs = clock.now();
  const readWait = createWaitReader({
    config,
    health: await store.loadSinkHealth(),
    pauses: new Map(),
    nowMs,
  });
  const readPath = createPathReader(config, await store.listSilences());
  const found = await findItem(store, item, { readWait, readPath });
  if (found.itemId === null || found.histories.length > 0)
    return { ...found, firstReads: [], unseen: null };
  const planned = planWatches(config, hash, await store.listWatches());
  const polls = planPolls([...planned.values()], { hash, timetable: createTimetable(), nowMs });
  const unseen = await explainUnseen(
    { store, config, polls, nowMs },
    unseenItem(item, found.itemId, nowMs),
  );
  return { ...found, firstReads: [], unseen };
}

/** Renders an event. The thread that runs the templates is stopped afterwards. */
async function render(
  parts: OfflineViewParts,
  request: Parameters<ApiViews["render"]>[0],
): ReturnType<ApiViews["render"]> {
  const { config, clock, http, outputs, log, write } = parts;
  const runner =
    config.templates.length === 0 ? undefined : startTemplateWorker(config.templates, { clock });
  const sinkDeps = { http, clock, log, write, outputs, linksHost: config.linksHost };
  try {
    const store = await parts.store().catch(noEventsWhereMissing);
    return await renderEvent(
      { store, config, clock, runner, createSink: (sink) => createSink(sink, sinkDeps) },
      request,
    );
  } finally {
    await runner?.stop();
  }
}

/**
 * Returns the store, or an empty history if there is no state yet, so that `render` can show a
 * sample before the first run.
 */
function noEventsWhereMissing(error: unknown): RenderParts["store"] {
  if (!(error instanceof ExitError) || error.code !== "STATE_MISSING") throw error;
  return { eventsById: async () => [], findEvents: async () => ({ events: [], next: null }) };
}
