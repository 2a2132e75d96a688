/**
 * What a simulation plays: a configuration, a world, and what happens when. Plain data, so that it
 * can be kept, cut shorter and played again.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";

/** A configuration as it would be written: keys as in the YAML. */
export type ConfigText = JsonObject;

export interface Scenario {
  readonly seed: number;
  /**
   * `safety`: faults go on to the end. `liveness`: they stop, and everything expected must arrive.
   */
  readonly mode: "safety" | "liveness";
  /** Wall time at the start. */
  readonly startMs: number;
  /** How long things happen. */
  readonly busyMs: number;
  /** How long nothing happens afterwards at most, for what is expected to arrive. */
  readonly calmMs: number;
  /** Whether it goes on although everything has arrived: to see that nothing more does. */
  readonly isWholeCalm: boolean;
  /** How many daemons share the state; undefined: one, on a file. */
  readonly replicas?: number;
  /** By how much the timers by which replicas watch each other are late. */
  readonly lateMs?: number;
  /** The time by which the wall clock of each replica is ahead of the world's, 0 unless given. */
  readonly skewsMs?: readonly number[];
  /** The delay of the start of each replica, on a database that is empty; none unless given. */
  readonly startsMs?: readonly number[];
  /**
   * Delays follow from the time and the seed alone, and every enrichment is answered: what is read
   * does not depend on what is sent.
   */
  readonly isPacedByTime?: true;
  readonly config: ConfigText;
  /** Files beside it, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly keys: readonly { readonly key: string; readonly quota: number }[];
  /** What is there before the daemon comes, in this order. */
  readonly before: readonly WorldOrder[];
  /** In the order of their times. */
  readonly steps: readonly Step[];
}

/** `atMs` counts from the start; before it, for the world. */
export type WorldOrder =
  | {
      readonly do: "post";
      readonly atMs: number;
      /** Names it for later orders. */
      readonly name: string;
      readonly by: string;
      readonly text: string;
      readonly kind: "post" | "reply" | "quote" | "retweet";
      /** The name of the post it is about. */
      readonly of?: string;
      readonly lang?: string;
      readonly community?: string;
      /** Seen so much later than posted. */
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
  /** Whatever else the sandbox's control API takes by POST, and what is so from then on. */
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
  /** `until`: it begins sooner, once another one passes a point. */
  | (OfReplica & {
      readonly do: "restart";
      readonly downMs: number;
      readonly until?: MomentOfReplica;
    })
  /**
   * It stands still, and goes on: where it passes the point within `withinMs`, two minutes unless
   * said otherwise, else wherever it is then.
   */
  | (OfReplica & {
      readonly do: "stall";
      readonly point: string;
      readonly nth: number;
      readonly forMs: number;
      readonly withinMs?: number;
    })
  /** Its connections to the server of the state are cut. */
  | (OfReplica & { readonly do: "cut off"; readonly point: string; readonly nth: number })
  /**
   * A network partition separates it from that server for so long, and neither side is notified. A
   * transaction may be open then.
   */
  | (OfReplica & {
      readonly do: "part";
      readonly point: string;
      readonly nth: number;
      readonly forMs: number;
    })
  /** That server is shut down, and started again after so long. */
  | { readonly do: "server away"; readonly atMs: number; readonly forMs: number }
  | { readonly do: "reload"; readonly atMs: number; readonly config: ConfigText }
  | { readonly do: "pause"; readonly atMs: number; readonly watch: string }
  | { readonly do: "resume"; readonly atMs: number; readonly watch: string }
  /** `name` names it for its end, which may come before its time. */
  | {
      readonly do: "silence";
      readonly atMs: number;
      readonly name: string;
      readonly matchers: readonly string[];
      readonly forMs: number;
    }
  | { readonly do: "end silence"; readonly atMs: number; readonly name: string }
  /** Somebody marks an alert, or takes the mark away. */
  | (OfAlert & {
      readonly do: "mark";
      readonly kind: "acknowledged" | "not_relevant";
      readonly isUndo: boolean;
    })
  /** Somebody snoozes what an alert is about, or silences its author: `for` as the API takes it. */
  | (OfAlert & {
      readonly do: "hold";
      readonly kind: "snooze" | "author-silence";
      readonly for: string;
      /** At one of its sinks alone. */
      readonly isAtOneSink: boolean;
    })
  /** Somebody ends the `nth` of these, the newest first. */
  | { readonly do: "end hold"; readonly atMs: number; readonly nth: number }
  /** A request to the daemon's own API, made again where the daemon ends before it has answered. */
  | { readonly do: "ask"; readonly atMs: number; readonly path: string }
  /** What a command has read of a watch's past becomes alerts: these posts, found by its query. */
  | {
      readonly do: "backfill";
      readonly atMs: number;
      readonly watch: string;
      readonly query: string;
      readonly posts: readonly string[];
    }
  | { readonly do: "jump"; readonly atMs: number; readonly byMs: number };

/** What a person does about the `nth` of the alerts that were sent, the newest first. */
interface OfAlert {
  readonly atMs: number;
  readonly nth: number;
  readonly by: string;
  /** By the id of the event, or of a message with it. */
  readonly named: "event" | "message";
}

interface OfReplica {
  readonly atMs: number;
  /** From 0, which it is unless said otherwise. */
  readonly replica?: number;
}

export interface MomentOfReplica {
  readonly replica: number;
  readonly point: string;
}

/**
 * `sluggish`: accepts at once and answers after six seconds, as long as a stop waits. `too-large`:
 * a webhook refuses more than two events at once. `failing-inside`: the vendors that document one
 * answer 2xx with an error in the body, the others 500.
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
