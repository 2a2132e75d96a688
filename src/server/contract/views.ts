/**
 * What the server reads from the daemon. The JSON of the answers is in the `…-view.ts` files of
 * this folder. Implemented in `operate/views/`, which may read state, engine and configuration.
 */
import type { DeliveryHistory, EventQuery, ItemHistory } from "../../model/history.ts";
import type { ReportQuery, ReportView } from "../../model/report.ts";
import type { BudgetView } from "../schema/budget-view.ts";
import type { DeadView } from "../schema/dead-view.ts";
import type { EventsView } from "../schema/event-view.ts";
import type { PathView } from "../schema/path-view.ts";
import type { RenderView } from "../schema/render-view.ts";
import type { ReplayRecordsView, ReplayRequest, ReplayView } from "../schema/replay-view.ts";
import type { SilencesView } from "../schema/silence-view.ts";
import type { WaitView } from "../schema/sink-view.ts";
import type { StatusView, StoppedView } from "../schema/status-view.ts";
import type { TailFilter, TailLine } from "../schema/tail-view.ts";
import type { UnseenView } from "../schema/explain-view.ts";

export interface Health {
  /**
   * False only if the process makes no progress or the state cannot be written. The data service,
   * sinks and the quota never make it false.
   */
  readonly live: boolean;
  /** Whether the configuration is loaded and the loops run. */
  readonly ready: boolean;
  /** A short sentence without secrets, because it is shown to everyone. */
  readonly reason: string;
}

/** What is stored about an item that was asked for by tweet id, link or handle. */
export interface FoundItem {
  readonly itemId: string | null;
  readonly histories: readonly ItemHistory[];
  /** Why each waiting delivery waits. */
  readonly waits: ReadonlyMap<DeliveryHistory, WaitView>;
  /** How each delivery came to its sink. */
  readonly paths: ReadonlyMap<DeliveryHistory, PathView>;
  /**
   * If nothing is stored: ids of watches whose first read is not complete and may still find the
   * item.
   */
  readonly firstReads: readonly string[];
  /** Why nothing is stored; null if something is, or if the item has no known id. */
  readonly unseen: UnseenView | null;
}

/** What the API reads: from a running daemon, or from a state on which none runs here. */
export interface ApiViews {
  status(): Promise<StatusView | StoppedView>;
  budget(): Promise<BudgetView>;
  events(query: EventQuery): Promise<EventsView>;
  explain(item: string): Promise<FoundItem>;
  /** Reads the dead letters of one sink, or of all. */
  dead(sink: string | undefined): Promise<DeadView>;
  silences(withExpired: boolean): Promise<SilencesView>;
  /** Previews what would be sent again. */
  replay(request: ReplayRequest): Promise<ReplayView>;
  replays(): Promise<ReplayRecordsView>;
  /** Resolves to the report, or to a sentence if there is none. */
  report(query: ReportQuery): Promise<ReportView | string>;
  /**
   * Resolves to an event as it would be sent to a sink now, or to a sentence if that cannot be
   * shown.
   */
  render(request: { readonly what: string; readonly sink: string }): Promise<RenderView | string>;
}

/** The views of a running daemon. */
export interface Views extends ApiViews {
  health(): Promise<Health>;
  status(): Promise<StatusView>;
  /** Calls `push` for each line from now on. Returns a function that stops it. */
  tail(filter: TailFilter, push: (line: TailLine) => void): () => void;
  /** Returns the text of `/metrics`. Gauges that are read on demand are set first. */
  metrics(): Promise<string>;
}
