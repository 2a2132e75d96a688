/**
 * The interface through which the server reads from the daemon. `operate/views/` implements it from
 * the state, the engine and the configuration. The JSON of the answers is in the `…-view.ts` files
 * of `schema/`.
 */
import type {
  DeliveryHistory,
  EventQuery,
  ItemHistory,
  RefusedAttempt,
} from "../../model/history.ts";
import type { ReportQuery, ReportView } from "../../model/report.ts";
import type { BudgetView } from "../schema/budget-view.ts";
import type { ActivityView, WatchDaysView } from "../schema/report-view.ts";
import type { DeadView } from "../schema/dead-view.ts";
import type { EventEntry, EventsView } from "../schema/event-view.ts";
import type { PathView } from "../schema/path-view.ts";
import type { RenderView } from "../schema/render-view.ts";
import type { ReplayRecordsView, ReplayRequest, ReplayView } from "../schema/replay-view.ts";
import type { SilencesView } from "../schema/silence-view.ts";
import type { SinkView, WaitView } from "../schema/sink-view.ts";
import type { WatchView } from "../schema/watch-view.ts";
import type { GapView, StatusView, StoppedView } from "../schema/status-view.ts";
import type { TailFilter, TailLine } from "../schema/tail-view.ts";
import type { UnseenView } from "../schema/explain-view.ts";

export interface Health {
  /**
   * Whether the process makes progress and can write its state. Problems with the data service, a
   * sink or the quota never make it false.
   */
  readonly live: boolean;
  /** Whether the configuration is loaded and the loops run. */
  readonly ready: boolean;
  /**
   * A short sentence about the problem. It contains no secrets, because health routes need no
   * token.
   */
  readonly reason: string;
}

/** What the state knows about an item. A caller asks for the item by tweet id, link or handle. */
export interface FoundItem {
  readonly itemId: string | null;
  readonly histories: readonly ItemHistory[];
  /** Why each delivery that waits has to wait. */
  readonly waits: ReadonlyMap<DeliveryHistory, WaitView>;
  /** How each alert came to its sink, and what happened in each attempt. */
  readonly paths: ReadonlyMap<DeliveryHistory, PathView>;
  /**
   * If nothing is stored about the item: the ids of the watches whose first read is not complete,
   * so that they may still find it.
   */
  readonly firstReads: readonly string[];
  /**
   * Why nothing is stored about the item; null if something is stored, or if the item's id is
   * unknown.
   */
  readonly unseen: UnseenView | null;
}

/** What the API reads, from a running daemon, or from a state on which no daemon runs here. */
export interface ApiViews {
  status(): Promise<StatusView | StoppedView>;
  budget(): Promise<BudgetView>;
  events(query: EventQuery): Promise<EventsView>;
  /** Resolves to undefined if the state has no event with that id. */
  event(id: string): Promise<EventEntry | undefined>;
  explain(item: string): Promise<FoundItem>;
  /** Lists the dead letters of one sink, or of all if `sink` is undefined. */
  dead(sink: string | undefined): Promise<DeadView>;
  silences(withExpired: boolean): Promise<SilencesView>;
  /** Returns what would be sent again, without sending anything. */
  replay(request: ReplayRequest): Promise<ReplayView>;
  replays(): Promise<ReplayRecordsView>;
  /** Resolves to the report, or to a sentence that says why there is none. */
  report(query: ReportQuery): Promise<ReportView | string>;
  /** Resolves to what happened by day to all watches. */
  activity(): Promise<ActivityView>;
  /** Resolves to undefined if there is no watch with that id. */
  watchDays(watchId: string): Promise<WatchDaysView | undefined>;
  /**
   * Resolves to an event as it would be sent to a sink now, or to a sentence that says why it
   * cannot be shown.
   */
  render(request: { readonly what: string; readonly sink: string }): Promise<RenderView | string>;
}

/** A watch with the gaps in what its feeds have read. */
export interface WatchWithGaps {
  readonly watch: WatchView;
  readonly gaps: readonly GapView[];
}

/** The views of a running daemon. */
export interface StatusQuery {
  /**
   * The maximum number of watches that are included although nothing is to be said about them:
   * neither paused nor slowed down, without a problem. All are included if it is absent.
   */
  readonly maxWellWatches?: number;
}

export interface Views extends ApiViews {
  /** Resolves to undefined if there is no enabled watch with that id. */
  watch(id: string): Promise<WatchWithGaps | undefined>;
  /** Returns the ids of the enabled watches, in the order of the configuration. */
  watchNames(): readonly string[];
  /** Resolves to what the sink refused last, newest first. */
  refusals(sink: string): Promise<readonly RefusedAttempt[]>;
  /** Returns the names of the configured sinks. */
  sinkNames(): readonly string[];
  /** Resolves to the sinks, without the rest of the status. */
  sinks(): Promise<readonly SinkView[]>;
  health(): Promise<Health>;
  status(query?: StatusQuery): Promise<StatusView>;
  /** Calls `push` for each line from now on. Returns a function that stops the calls. */
  tail(filter: TailFilter, push: (line: TailLine) => void): () => void;
  /** Returns the text of `/metrics`. Gauges that are computed only on demand are updated first. */
  metrics(): Promise<string>;
}
