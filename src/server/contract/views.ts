/**
 * What the server reads from the daemon, and the JSON of `/api/v1/…`, field for field. Names are
 * snake_case and times are ISO 8601 in UTC, as in the webhook body. Implemented in
 * `operate/views/`, which may read state, engine and configuration.
 */
import type { BudgetView, QuotaView, SlowedView } from "./budget-view.ts";
import type { DeadView } from "./dead-view.ts";
import type { MarkView } from "./actions.ts";
import type { PathView } from "./path-view.ts";
import type { RenderView } from "./render-view.ts";
import type { ReplayRecordsView, ReplayRequest, ReplayView } from "./replay-view.ts";
import type { ReportQuery, ReportView } from "../../model/report.ts";
import type { ReplicaView, UnclaimedView } from "./replica-view.ts";
import type { SilencesView, SilenceView } from "./silence-view.ts";
import type { UnseenView } from "./unseen-view.ts";
import type { TailFilter, TailLine } from "./tail-view.ts";
import type { JsonObject } from "../../model/json.ts";
import type {
  DeliveryHistory,
  DeliveryOutcome,
  EventQuery,
  ItemHistory,
} from "../../model/history.ts";
import type { TargetStatus } from "../../model/watch-store.ts";
import type { Priority } from "../../model/schedule.ts";

/**
 * The state of the daemon. `degraded` means that it runs but needs attention; `paused` means that
 * nothing is polled at all. `reasons` says why.
 */
export type DaemonState = "running" | "degraded" | "paused";

export interface TargetView {
  /** The target as written in the YAML. */
  readonly name: string;
  readonly status: TargetStatus;
  /** Empty if the status is `ok` or `pending`. */
  readonly reason: string;
}

/**
 * A member list that takes more than one poll to read, while it is read for the first time, or if
 * it is not read whole every day.
 */
export interface MemberListView {
  /** The target as written in the YAML. */
  readonly target: string;
  /**
   * The number of members according to the account's profile or the last complete read; null if
   * unknown.
   */
  readonly members: number | null;
  /** Members that the first read has seen; null once it is complete, or if there will be none. */
  readonly first_read_members: number | null;
  /** Whether new members are reported before the first read is complete. */
  readonly tells_newcomers: boolean;
  /**
   * Seconds between complete reads after the first one; 0 if every poll continues a complete read,
   * null if there are no more complete reads.
   */
  readonly whole_read_every_seconds: number | null;
}

/**
 * The first read of what a watch covers. By default it raises no alerts, and there are none until
 * it is complete.
 */
export interface FirstReadView {
  /** Targets whose first read is not complete. */
  readonly targets_left: number;
  /** Pages that the running first reads have read; null if none runs. */
  readonly pages: number | null;
}

export interface WatchView {
  readonly id: string;
  readonly type: string;
  /** Where the watch's alerts go, for people: `#brand`, `slack-brand and terminal`. */
  readonly sink: string;
  readonly priority: Priority;
  readonly paused: boolean;
  /** The schedule as written: `@every 5m`, or a cron pattern with its time zone. */
  readonly schedule: string;
  readonly targets: readonly TargetView[];
  /** Long member lists about which people should know. */
  readonly member_lists: readonly MemberListView[];
  /**
   * The first read; null once it is complete, and while the watch is paused. A long member list
   * whose own first read is under way is in `member_lists`.
   */
  readonly first_read: FirstReadView | null;
  /** Items with a verdict so far; for a watch of values, targets whose first value is known. */
  readonly known_items: number;
  readonly last_poll_at: string | null;
  /** The next poll by the replica that answers. */
  readonly next_poll_at: string | null;
  /** Names of other replicas that poll the watch. */
  readonly polled_by: readonly string[];
  /** Billed requests of this period. */
  readonly requests_spent: number;
  /** Why the last poll failed; empty if it did not. */
  readonly problem: string;
  /** Null unless the quota slows the watch down. */
  readonly slowed: SlowedView | null;
  /**
   * Events that wait for their enrichment, and why there is no answer; null if none waits and the
   * last answer was good.
   */
  readonly enriching: EnrichingView | null;
}

export interface EnrichingView {
  readonly waiting: number;
  /** When the oldest waiting event was found; null if none waits. */
  readonly oldest_at: string | null;
  /** Why an attempt failed; empty if none did. */
  readonly error: string;
  /** Since when no request for an enrichment was answered; null while there are answers. */
  readonly failing_since: string | null;
}

/** Why something waits, and until when. */
export interface WaitView {
  /**
   * Why it waits.
   * - `enriching`: its enrichment is not there yet.
   * - `held`: a time interval holds it back.
   * - `throttled`, `digest`, `grouped`: it is gathered with others.
   * - `sink_failing`: the sink's breaker is open.
   * - `rate_limited`: the sink asked to wait.
   * - `threaded`: its message replies to one that is still on its way.
   * - `retrying`: the last attempt failed.
   * - `queued`: others go first.
   */
  readonly cause:
    | "enriching"
    | "held"
    | "throttled"
    | "digest"
    | "grouped"
    | "sink_failing"
    | "rate_limited"
    | "threaded"
    | "retrying"
    | "queued";
  /** When it may be sent or is tried again; null if it only waits for others before it. */
  readonly until: string | null;
  /** A text for people, without the time. */
  readonly reason: string;
}

export interface WaitCountView extends WaitView {
  readonly count: number;
}

/** The state of an alert at one sink. */
export interface DeliveryView {
  readonly sink: string;
  readonly state: DeliveryOutcome;
  readonly wait: WaitView | null;
}

export interface SinkView {
  readonly name: string;
  readonly type: string;
  /**
   * Where the sink posts: `#brand`, `console`; an address as its host and a fingerprint, such as
   * `hooks.example.com, 3fa9c1`. Empty if the sink's secrets are not known.
   */
  readonly place: string;
  readonly breaker: "closed" | "open";
  /** The last failure while the breaker is open; empty while it is closed. */
  readonly reason: string;
  /** What can be done about the failure; may be empty. */
  readonly hint: string;
  /**
   * When the breaker opened, and when the next message tests the sink; both null while it is
   * closed.
   */
  readonly failing_since: string | null;
  readonly next_attempt_at: string | null;
  readonly waiting: number;
  /** Why messages wait. The counts add up to `waiting`. */
  readonly waits: readonly WaitCountView[];
  /**
   * Alerts that are repeated while their values stay across a threshold; null if there are none.
   */
  readonly repeats: { readonly count: number; readonly next_at: string } | null;
  readonly oldest_at: string | null;
  readonly sent: number;
  /** Messages that were given up and neither acknowledged nor sent again. */
  readonly dead: number;
}

export interface UpstreamView {
  readonly up: boolean;
  /** Why the service is down, or `throttled`; empty if all is well. */
  readonly reason: string;
  readonly since: string | null;
  /** When the next request is made, if the service asked to wait; otherwise null. */
  readonly next_attempt_at: string | null;
}

export interface EventLine {
  readonly id: string;
  readonly type: string;
  /** The watch id; empty for the daemon's own events. */
  readonly watch: string;
  /** A line for people. */
  readonly title: string;
  readonly url: string | null;
  readonly occurred_at: string;
  readonly detected_at: string;
  readonly deliveries: readonly DeliveryView[];
  /** The person who acknowledged it; null if nobody did. */
  readonly acknowledged: MarkView | null;
}

/** A past event with the state of its deliveries. */
export interface EventEntry {
  /** The event's type, time of detection and data, as in the webhook body. */
  readonly type: string;
  readonly timestamp: string;
  /** A line for people. */
  readonly title: string;
  /** The text for people; may be empty. */
  readonly text: string;
  readonly url: string | null;
  /** The handle of the author without @; empty if nobody wrote or did it. */
  readonly author: string;
  readonly deliveries: readonly { readonly sink: string; readonly state: DeliveryOutcome }[];
  /** The person who acknowledged it; null if nobody did. */
  readonly acknowledged: MarkView | null;
  readonly data: JsonObject;
}

export interface EventsView {
  /** Newest first. */
  readonly events: readonly EventEntry[];
  /** The `before` of the next request; null at the end. */
  readonly next: string | null;
}

export interface ReloadView {
  readonly at: string;
  /** What asked for the reload: `SIGHUP`, `API`, `file change`. */
  readonly asked_by: string;
  /**
   * What the reload did to the memory of watches, a sentence for each. Unaffected watches are left
   * out.
   */
  readonly memory: readonly string[];
  /** What the reload sent by itself, a sentence for each watch. */
  readonly sends: readonly string[];
}

export interface ConfigView {
  readonly file: string;
  readonly loaded_at: string;
  /** Warnings in the form `file:line:column: sentence`. */
  readonly warnings: readonly string[];
  /** The last reload since the start that changed something; null if none has. */
  readonly last_reload: ReloadView | null;
  /** The last refused reload; null once a reload succeeds. */
  readonly failed_reload: { readonly at: string; readonly errors: readonly string[] } | null;
}

export interface StatusView {
  readonly state: DaemonState;
  /** A sentence for each problem; empty if `running`. */
  readonly reasons: readonly string[];
  readonly version: string;
  readonly started_at: string;
  readonly uptime_seconds: number;
  /** Daemons that share the state, oldest first; null if the state is a file. */
  readonly replicas: readonly ReplicaView[] | null;
  /** Work that no replica does; null if there is none, or if the state is a file. */
  readonly unclaimed: UnclaimedView | null;
  readonly upstream: UpstreamView;
  readonly quota: QuotaView;
  /** The number of gaps in covered history that wait to be filled. */
  readonly gaps: number;
  /** The oldest gaps, at most fifty. */
  readonly open_gaps: readonly GapView[];
  readonly watches: readonly WatchView[];
  readonly sinks: readonly SinkView[];
  /** The active silences. */
  readonly silences: readonly SilenceView[];
  /** The last events, newest first, about twenty. */
  readonly recent_events: readonly EventLine[];
  readonly config: ConfigView;
}

/** A gap in covered history that waits to be filled. */
export interface GapView {
  /** The ids of the watches that read the feed. */
  readonly watches: readonly string[];
  readonly opened_at: string;
  /** When a poll last read a part of the gap; until then, when it opened. */
  readonly shrunk_at: string;
  /** The number of polls since then. */
  readonly polls: number;
  /**
   * Why the last of these polls did not shrink it: the quota, the service, or the depth of a poll.
   */
  readonly cause: "quota" | "service" | "depth";
  /**
   * Whether an ops alert was raised about it, because it did not shrink for ten polls and ten
   * minutes.
   */
  readonly stuck: boolean;
}

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

/** The status when no daemon answers here. */
export interface StoppedView
  extends Pick<
    StatusView,
    "reasons" | "quota" | "watches" | "sinks" | "silences" | "recent_events"
  > {
  /** `elsewhere` means that daemons run on the state, but none of them answers here. */
  readonly state: "not_running" | "elsewhere";
  readonly replicas: readonly ReplicaView[];
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
