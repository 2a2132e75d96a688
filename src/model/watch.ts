/** A watch after the configuration was checked: everything the loops need, nothing of YAML. */
import type { EventBody } from "./event.ts";
import type { TweetKind } from "./tweet.ts";
import type { Priority, StrategyOverride, Timing } from "./schedule.ts";

export type FirstRun =
  | { readonly kind: "baseline" }
  | { readonly kind: "latest"; readonly count: number }
  | { readonly kind: "since"; readonly ageMs: number };

/** Which tweets a watch alerts on; posts always, the other kinds by `include`. */
export type Include = { readonly [K in Exclude<TweetKind, "post">]: boolean };

export interface Ignore {
  /** Handles in lower case without @, or `id:` and digits. */
  readonly authors: readonly string[];
  /** Matched as whole words, case-insensitively. */
  readonly words: readonly string[];
}

/** Fresh tweets are rechecked until they are so old. */
export interface RecheckRule {
  readonly everyMs: number;
  /** After the tweet's creation. */
  readonly untilMs: number;
}

/** So many events in a window, against what is usual at that time of day, raise an alert. */
export interface SpikeRule {
  /** Times what is usual. */
  readonly factor: number;
  readonly windowMs: number;
  /** Fewer events are never a spike. */
  readonly min: number;
}

/** Who adds labels and fields to a watch's events before they are routed. */
export interface EnrichRule {
  readonly via:
    | {
        readonly kind: "url";
        readonly url: string;
        readonly headers: Readonly<Record<string, string>>;
        /** Private and loopback addresses, which are refused otherwise. */
        readonly isPrivateAllowed: boolean;
      }
    | { readonly kind: "program"; readonly path: string; readonly args: readonly string[] };
  /** Those that an answer may set. */
  readonly labels: readonly string[];
  /** Of one attempt. */
  readonly timeoutMs: number;
  /** Events of the watch that are asked about at once. */
  readonly concurrency: number;
  /** How long an answer counts for other events with the same text; 0: not at all. */
  readonly cacheMs: number;
  /** Without an answer: `pass` goes on at once, `hold` tries again for `maxHoldMs`. */
  readonly onError: "pass" | "hold";
  /** No event waits longer. */
  readonly maxHoldMs: number;
}

/**
 * What becomes of what came while the watch was paused, disabled or removed: one digest for a chat
 * and single events for programs, single alerts everywhere, or nothing.
 */
export type OnReturn = "digest" | "deliver" | "skip";

export interface Watch {
  readonly id: string;
  /** Name of a row of the registry in watches/. */
  readonly type: string;
  /** The type's own settings, parsed by its schema. */
  readonly settings: unknown;
  readonly timing: Timing;
  /** `auto` where nothing is said. */
  readonly strategy?: StrategyOverride;
  /**
   * Everything is read so often, whatever probes say; the planner's choice where nothing is said.
   */
  readonly fullPollEveryMs?: number;
  /**
   * Of a member list that reports who joined: it is read whole so often; infinite: never, not even
   * once. By its length where nothing is said.
   */
  readonly fullReadEveryMs?: number;
  readonly priority: Priority;
  readonly labels: Readonly<Record<string, string>>;
  readonly firstRun: FirstRun;
  readonly maxPages: number;
  readonly maxAgeMs: number;
  readonly overlapMs: number;
  readonly include: Include;
  readonly ignore: Ignore;
  /**
   * The compiled CEL expression; absent when there is none. Runtime errors of the expression count
   * as "does not match".
   */
  readonly where?: {
    readonly text: string;
    matches(body: EventBody): boolean;
    /** The expression, the parts of it that are false, and the values they saw. */
    describeFalse?(body: EventBody): string;
  };
  /** On watches of tweets only. */
  readonly recheck?: RecheckRule;
  readonly spike?: SpikeRule;
  readonly enrich?: EnrichRule;
  /** How long without an event raises an alert, in ms. */
  readonly noEventsForMs?: number;
  /** Its own sinks; empty when the route tree decides. */
  readonly sinks: readonly string[];
  readonly enabled: boolean;
  readonly onReturn: OnReturn;
  readonly movedFrom?: string;
}
