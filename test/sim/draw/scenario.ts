/**
 * The description of one simulation: a configuration, a world, and steps with their times. Plain
 * data, so that it can be stored, shrunk and played again.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";

/** A configuration as it would be written: keys as in the YAML. */
export type ConfigText = JsonObject;

export interface Scenario {
  readonly seed: number;
  /**
   * The kind of check. `safety`: faults go on to the end. `liveness`: they stop, and everything
   * expected must arrive.
   */
  readonly mode: "safety" | "liveness";
  /** The wall time at the start. */
  readonly startMs: number;
  /** How long steps and posts go on. */
  readonly busyMs: number;
  /** The longest time without events at the end, in which everything expected must arrive. */
  readonly calmMs: number;
  /**
   * Whether the calm is played to its end even if everything has arrived, to see that nothing more
   * does.
   */
  readonly isWholeCalm: boolean;
  /** The number of daemons that share the state. Undefined: a single daemon on a file. */
  readonly replicas?: number;
  /** How late the timers fire by which replicas watch each other. */
  readonly lateMs?: number;
  /** The offset by which each replica's wall clock is ahead of the world's; 0 if absent. */
  readonly skewsMs?: readonly number[];
  /** The delay of each replica's start, on an empty database; no delay if absent. */
  readonly startsMs?: readonly number[];
  /**
   * Whether delays depend only on the time and the seed, and every enrichment is answered. What is
   * read then does not depend on what is sent.
   */
  readonly isPacedByTime?: true;
  readonly config: ConfigText;
  /** Files beside the configuration, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly keys: readonly { readonly key: string; readonly quota: number }[];
  /** Orders carried out before the daemon starts, in this sequence. */
  readonly before: readonly WorldOrder[];
  /** The steps, sorted by time. */
  readonly steps: readonly Step[];
}

/** `atMs` counts from the start; before it, for the world. */
export type WorldOrder =
  | {
      readonly do: "post";
      readonly atMs: number;
      /** A name for the post in later orders. */
      readonly name: string;
      readonly by: string;
      readonly text: string;
      readonly kind: "post" | "reply" | "quote" | "retweet";
      /** The name of the post that this one is about. */
      readonly of?: string;
      readonly lang?: string;
      readonly community?: string;
      /** How much later than posted the post becomes visible. */
      readonly lateMs?: number;
    }
  | { readonly do: "remove"; readonly atMs: number; readonly post: string }
  | { readonly do: "restore"; readonly atMs: number; readonly post: string }
  | { readonly do: "edit"; readonly atMs: number; readonly post: string; readonly text: string }
  | { readonly do: "follow"; readonly atMs: number; readonly who: string; readonly whom: string }
  | { readonly do: "unfollow"; readonly atMs: number; readonly who: string; readonly whom: string }
  | {
      readonly do: "list";
      readonly atMs: number;
      readonly id: string;
      readonly members: readonly string[];
    }
  | {
      readonly do: "community";
      readonly atMs: number;
      readonly id: string;
      readonly name: string;
      readonly members: readonly string[];
    }
  | {
      readonly do: "member";
      readonly atMs: number;
      readonly group: string;
      readonly handle: string;
      readonly isIn: boolean;
    }
  | {
      readonly do: "account";
      readonly atMs: number;
      readonly handle: string;
      readonly change: JsonObject;
    }
  | {
      readonly do: "score";
      readonly atMs: number;
      readonly handle: string;
      readonly change: Readonly<Record<string, number>>;
    }
  | {
      readonly do: "count";
      readonly atMs: number;
      readonly post: string;
      readonly change: Readonly<Record<string, number>>;
    }
  /** Any other POST of the sandbox's control API, and the facts that hold afterwards. */
  | {
      readonly do: "order";
      readonly atMs: number;
      readonly path: "articles" | "communities" | "lists" | "spaces" | "trends";
      readonly body: JsonObject;
      readonly facts: Readonly<Record<string, Json>>;
    };

export type Step =
  | WorldOrder
  | {
      readonly do: "service fault";
      readonly atMs: number;
      readonly name: string;
      readonly times?: number;
      readonly forMs?: number;
      readonly endpoint?: string;
      readonly handle?: string;
    }
  | { readonly do: "service heals"; readonly atMs: number }
  | {
      readonly do: "sink trouble";
      readonly atMs: number;
      readonly sink: string;
      readonly kind: SinkTroubleKind;
      readonly times?: number;
    }
  | { readonly do: "sink heals"; readonly atMs: number; readonly sink: string }
  | (OfReplica & {
      readonly do: "crash";
      readonly point: string;
      readonly nth: number;
      readonly downMs: number;
    })
  /** With `until` the replica starts again sooner, once another replica passes a point. */
  | (OfReplica & {
      readonly do: "restart";
      readonly downMs: number;
      readonly until?: MomentOfReplica;
    })
  /**
   * The replica stalls and then continues. It stalls where it passes the point, or wherever it is
   * after `withinMs`, which is two minutes by default.
   */
  | (OfReplica & {
      readonly do: "stall";
      readonly point: string;
      readonly nth: number;
      readonly forMs: number;
      readonly withinMs?: number;
    })
  /** The replica's connections to the database server are cut. */
  | (OfReplica & { readonly do: "cut off"; readonly point: string; readonly nth: number })
  /**
   * A network partition separates the replica from the database server for this time, and neither
   * side is notified. A transaction may be open then.
   */
  | (OfReplica & {
      readonly do: "part";
      readonly point: string;
      readonly nth: number;
      readonly forMs: number;
    })
  /** The database server is shut down, and started again after this time. */
  | { readonly do: "server away"; readonly atMs: number; readonly forMs: number }
  | { readonly do: "reload"; readonly atMs: number; readonly config: ConfigText }
  | { readonly do: "pause"; readonly atMs: number; readonly watch: string }
  | { readonly do: "resume"; readonly atMs: number; readonly watch: string }
  /** `name` is used to end it, which may happen before its time. */
  | {
      readonly do: "silence";
      readonly atMs: number;
      readonly name: string;
      readonly matchers: readonly string[];
      readonly forMs: number;
    }
  | { readonly do: "end silence"; readonly atMs: number; readonly name: string }
  /** Somebody marks an alert, or removes the mark. */
  | (OfAlert & {
      readonly do: "mark";
      readonly kind: "acknowledged" | "not_relevant";
      readonly isUndo: boolean;
    })
  /**
   * Somebody snoozes the subject of an alert, or silences its author. `for` is as the API takes it.
   */
  | (OfAlert & {
      readonly do: "hold";
      readonly kind: "snooze" | "author-silence";
      readonly for: string;
      /** Whether the snooze applies only to one of the alert's sinks. */
      readonly isAtOneSink: boolean;
    })
  /** Somebody ends the `nth` newest of these holds. */
  | { readonly do: "end hold"; readonly atMs: number; readonly nth: number }
  /**
   * A request to the daemon's own API. It is repeated if the daemon ends before it has answered.
   */
  | { readonly do: "ask"; readonly atMs: number; readonly path: string }
  /**
   * A backfill command has read the watch's past and turns these posts, found by its query, into
   * alerts.
   */
  | {
      readonly do: "backfill";
      readonly atMs: number;
      readonly watch: string;
      readonly query: string;
      readonly posts: readonly string[];
    }
  | { readonly do: "jump"; readonly atMs: number; readonly byMs: number };

/** What a person does about the `nth` newest of the alerts that were sent. */
interface OfAlert {
  readonly atMs: number;
  readonly nth: number;
  readonly by: string;
  /** Whether the request names the event's id or the id of a message with it. */
  readonly named: "event" | "message";
}

interface OfReplica {
  readonly atMs: number;
  /** The number of the replica, counted from 0; 0 if absent. */
  readonly replica?: number;
}

export interface MomentOfReplica {
  readonly replica: number;
  readonly point: string;
}

/**
 * The faults of sinks. `sluggish`: accepts at once and answers after six seconds, which is as long
 * as a stop waits. `too-large`: a webhook refuses more than two events at once. `failing-inside`:
 * vendors that document it answer 2xx with an error in the body, the others 500.
 */
export const SINK_TROUBLES = [
  "rate-limited",
  "rate-limited-globally",
  "rate-limited-for-ever",
  "failing",
  "failing-inside",
  "unavailable",
  "unauthorised",
  "forbidden",
  "missing",
  "gone",
  "moved",
  "refusing",
  "unreachable",
  "unresolved",
  "hang",
  "slow",
  "sluggish",
  "lost-by-timeout",
  "lost-by-reset",
  "too-large",
] as const;

export type SinkTroubleKind = (typeof SINK_TROUBLES)[number];
