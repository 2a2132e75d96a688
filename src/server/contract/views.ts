/**
 * What the server asks of the daemon, and the shapes it answers with: the types below are the JSON
 * of `/api/v1/…`, field for field. Names are snake_case and times ISO 8601 UTC, as in the webhook
 * body. Implemented in app/, which may read state, engine and configuration.
 */
import type { BudgetView, QuotaView, SlowedView } from "./budget-view.ts";
import type { DeadView } from "./dead-view.ts";
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
 * `degraded`: it runs, but needs attention. `paused`: nothing is polled at all, and `reasons` says
 * why.
 */
export type DaemonState = "running" | "degraded" | "paused";

export interface TargetView {
  /** As written in the YAML. */
  readonly name: string;
  readonly status: TargetStatus;
  /** Empty when the status is `ok` or `pending`. */
  readonly reason: string;
}

/**
 * A member list of a watch that takes more than a poll to read, while it is read for the first time
 * or where it is not read whole every day.
 */
export interface MemberListView {
  /** As the target is written in the YAML. */
  readonly target: string;
  /** By its account's profile, or by the last read of all of it; null while unknown. */
  readonly members: number | null;
  /**
   * Members that the first read has seen; null once it is done, and where there is none to come.
   */
  readonly first_read_members: number | null;
  /** Whether newcomers are reported before the first read is done. */
  readonly tells_newcomers: boolean;
  /** How often the whole of it is read from then on; 0: every poll reads on in it; null: never. */
  readonly whole_read_every_seconds: number | null;
}

/**
 * The first read of what a watch watches, which raises no alerts by default: until it is done there
 * are no alerts.
 */
export interface FirstReadView {
  /** Targets whose first read is not done. */
  readonly targets_left: number;
  /** Pages of those that are being read now; null where none is. */
  readonly pages: number | null;
}

export interface WatchView {
  readonly id: string;
  readonly type: string;
  /** Where its alerts go, for people: `#brand`, `slack-brand and terminal`. */
  readonly sink: string;
  readonly priority: Priority;
  readonly paused: boolean;
  /** As written: `@every 5m`, or a cron pattern with its time zone. */
  readonly schedule: string;
  readonly targets: readonly TargetView[];
  /** Long member lists that someone should know of. */
  readonly member_lists: readonly MemberListView[];
  /**
   * Null once it is done, and while the watch is paused. A long member list in the middle of its
   * own is in `member_lists`.
   */
  readonly first_read: FirstReadView | null;
  /** Items with a verdict so far; of values that are read, the targets whose first one is known. */
  readonly known_items: number;
  readonly last_poll_at: string | null;
  /** By the replica that answers. */
  readonly next_poll_at: string | null;
  /** Names of other replicas that make polls of it. */
  readonly polled_by: readonly string[];
  /** Billed requests of this period. */
  readonly requests_spent: number;
  /** Why the last poll failed; empty when it did not. */
  readonly problem: string;
  /** Null while the quota does not slow it down. */
  readonly slowed: SlowedView | null;
  /**
   * Events that wait for their enrichment, and why there is no answer; null when none waits and the
   * last answer was good.
   */
  readonly enriching: EnrichingView | null;
}

export interface EnrichingView {
  readonly waiting: number;
  /** Null where none waits. */
  readonly oldest_at: string | null;
  /** Why an attempt failed; empty when none did. */
  readonly error: string;
  /** Since when there was no answer to any question; null while there are answers. */
  readonly failing_since: string | null;
}

/** Why something waits, and until when. */
export interface WaitView {
  /**
   * `enriching`: it has no answer yet; `held` by a time interval, `throttled` or in another
   * `digest`, `grouped`; `sink_failing`: its breaker is open; `rate_limited`: the sink asked to
   * wait; `threaded`: its message goes below one that is still on its way; `retrying`: the last
   * attempt failed; `queued`: others go first.
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
  /** When it may go out or is tried again; null when only others are before it. */
  readonly until: string | null;
  /** For people, without the time. */
  readonly reason: string;
}

export interface WaitCountView extends WaitView {
  readonly count: number;
}

/** What became of an alert at one sink. */
export interface DeliveryView {
  readonly sink: string;
  readonly state: DeliveryOutcome;
  readonly wait: WaitView | null;
}

export interface SinkView {
  readonly name: string;
  readonly type: string;
  /**
   * Where it posts: `#brand`, `console`; an address as its host and a fingerprint,
   * `hooks.example.com, 3fa9c1`. Empty while its secrets are not known.
   */
  readonly place: string;
  readonly breaker: "closed" | "open";
  /** The last failure while the breaker is open; empty while closed. */
  readonly reason: string;
  /** What can be done about it; may be empty. */
  readonly hint: string;
  /**
   * When the breaker opened, and when the next message tries whether the sink is back; null while
   * closed.
   */
  readonly failing_since: string | null;
  readonly next_attempt_at: string | null;
  readonly waiting: number;
  /** Why; together as many as wait. */
  readonly waits: readonly WaitCountView[];
  /**
   * Alerts on values that are sent again while these stay across a threshold; null where none is.
   */
  readonly repeats: { readonly count: number; readonly next_at: string } | null;
  readonly oldest_at: string | null;
  readonly sent: number;
  /** Messages given up, neither acknowledged nor sent again. */
  readonly dead: number;
}

export interface UpstreamView {
  readonly up: boolean;
  /** Why it is down, or `throttled`; empty when all is well. */
  readonly reason: string;
  readonly since: string | null;
  /** When the next request goes out, where it asks to wait; null otherwise. */
  readonly next_attempt_at: string | null;
}

export interface EventLine {
  readonly id: string;
  readonly type: string;
  /** Watch id; empty for the daemon's own events. */
  readonly watch: string;
  /** One line for people. */
  readonly title: string;
  readonly url: string | null;
  readonly occurred_at: string;
  readonly detected_at: string;
  readonly deliveries: readonly DeliveryView[];
}

/** A past event with what became of it. */
export interface EventEntry {
  /** As in the webhook body: type, time of detection and data. */
  readonly type: string;
  readonly timestamp: string;
  /** One line for people. */
  readonly title: string;
  /** What it says, for people; may be empty. */
  readonly text: string;
  readonly url: string | null;
  /** Handle without @; empty where nobody wrote or did it. */
  readonly author: string;
  readonly deliveries: readonly { readonly sink: string; readonly state: DeliveryOutcome }[];
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
  /** `SIGHUP`, `API`, `file change`. */
  readonly asked_by: string;
  /**
   * What it did to what watches remember, a sentence each; those that it left alone are not named.
   */
  readonly memory: readonly string[];
  /** What it sent by itself, a sentence for each watch. */
  readonly sends: readonly string[];
}

export interface ConfigView {
  readonly file: string;
  readonly loaded_at: string;
  /** `file:line:column: sentence`. */
  readonly warnings: readonly string[];
  /** The last reload that changed something since the start; null where none has. */
  readonly last_reload: ReloadView | null;
  /** The last reload that was refused, until one succeeds. */
  readonly failed_reload: { readonly at: string; readonly errors: readonly string[] } | null;
}

export interface StatusView {
  readonly state: DaemonState;
  /** One sentence each; empty when `running`. */
  readonly reasons: readonly string[];
  readonly version: string;
  readonly started_at: string;
  readonly uptime_seconds: number;
  /** Daemons that share the state, oldest first; null where it is a file. */
  readonly replicas: readonly ReplicaView[] | null;
  /** Null where replicas do all of the work, and where the state is a file. */
  readonly unclaimed: UnclaimedView | null;
  readonly upstream: UpstreamView;
  readonly quota: QuotaView;
  /** Gaps in covered history that wait to be filled. */
  readonly gaps: number;
  /** The oldest of them, at most fifty. */
  readonly open_gaps: readonly GapView[];
  readonly watches: readonly WatchView[];
  readonly sinks: readonly SinkView[];
  /** Those that hold now. */
  readonly silences: readonly SilenceView[];
  /** Newest first, about twenty. */
  readonly recent_events: readonly EventLine[];
  readonly config: ConfigView;
}

/** A gap in covered history that waits to be filled. */
export interface GapView {
  /** Ids of the watches that read the feed. */
  readonly watches: readonly string[];
  readonly opened_at: string;
  /** When a poll last read a part of it; until then, when it opened. */
  readonly shrunk_at: string;
  /** Polls since then. */
  readonly polls: number;
  /** Why the last of them left it as it was: the quota, the service, or the depth of a poll. */
  readonly cause: "quota" | "service" | "depth";
  /** Whether the operator was alerted to it: it did not shrink for ten polls and ten minutes. */
  readonly stuck: boolean;
}

export interface Health {
  /**
   * False only when the process makes no progress or the store cannot write: never for upstream,
   * sinks or quota.
   */
  readonly live: boolean;
  /** True once the configuration is loaded and the loops run. */
  readonly ready: boolean;
  /** One short sentence without secrets: it is shown to everyone. */
  readonly reason: string;
}

/** What is stored about an item that someone asked for by tweet id, link or handle. */
export interface FoundItem {
  readonly itemId: string | null;
  readonly histories: readonly ItemHistory[];
  /** Of the deliveries that wait. */
  readonly waits: ReadonlyMap<DeliveryHistory, WaitView>;
  /** Of the deliveries to sinks: how each came there. */
  readonly paths: ReadonlyMap<DeliveryHistory, PathView>;
  /** Where nothing is stored: ids of watches whose first read is not done, and may bring it yet. */
  readonly firstReads: readonly string[];
  /** Why nothing is; null where something is, or the item is not known by an id. */
  readonly unseen: UnseenView | null;
}

/** What is known without a daemon that answers here. */
export interface StoppedView
  extends Pick<
    StatusView,
    "reasons" | "quota" | "watches" | "sinks" | "silences" | "recent_events"
  > {
  /** `elsewhere`: daemons run on it, but none of them answers here. */
  readonly state: "not_running" | "elsewhere";
  readonly replicas: readonly ReplicaView[];
}

/** What the API reads: of a running daemon, or of a state on which none runs here. */
export interface ApiViews {
  status(): Promise<StatusView | StoppedView>;
  budget(): Promise<BudgetView>;
  events(query: EventQuery): Promise<EventsView>;
  explain(item: string): Promise<FoundItem>;
  /** Of one sink, or of all. */
  dead(sink: string | undefined): Promise<DeadView>;
  silences(withExpired: boolean): Promise<SilencesView>;
  /** What would be sent again. */
  replay(request: ReplayRequest): Promise<ReplayView>;
  replays(): Promise<ReplayRecordsView>;
  /** A sentence where there is no such report. */
  report(query: ReportQuery): Promise<ReportView | string>;
  /** An event as a sink would be sent it now; a sentence where that cannot be shown. */
  render(request: { readonly what: string; readonly sink: string }): Promise<RenderView | string>;
}

/** The daemon as the server reads it. */
export interface Views extends ApiViews {
  health(): Promise<Health>;
  status(): Promise<StatusView>;
  /** Calls `push` for each line from now on; returns what ends that. */
  tail(filter: TailFilter, push: (line: TailLine) => void): () => void;
  /**
   * The text of `/metrics`; gauges that are read rather than counted are set before it is rendered.
   */
  metrics(): Promise<string>;
}
