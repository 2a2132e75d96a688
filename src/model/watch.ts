/** A watch as checked configuration, without any trace of YAML. */
import type { EventBody } from "./event.ts";
import type { TweetKind } from "./tweet.ts";
import type { Priority, StrategyOverride, Timing } from "./schedule.ts";

export type FirstRun =
  | { readonly kind: "baseline" }
  | { readonly kind: "latest"; readonly count: number }
  | { readonly kind: "since"; readonly ageMs: number };

/** Which tweets a watch alerts on: posts always, the other kinds by `include`. */
export type Include = { readonly [K in Exclude<TweetKind, "post">]: boolean };

export interface Ignore {
  /** Handles in lower case without @, or `id:` and digits. */
  readonly authors: readonly string[];
  /** Words, matched as whole words and case-insensitively. */
  readonly words: readonly string[];
}

/** How fresh tweets are rechecked, and until which age. */
export interface RecheckRule {
  readonly everyMs: number;
  /** The age of a tweet at which its rechecks end, in ms. */
  readonly untilMs: number;
}

/** An alert is raised if a window has unusually many events for that time of day. */
export interface SpikeRule {
  /** The factor by which the usual number must be exceeded. */
  readonly factor: number;
  readonly windowMs: number;
  /** The smallest number of events that can be a spike. */
  readonly min: number;
}

/**
 * The endpoint or program that adds labels and fields to a watch's events before they are routed.
 */
export interface EnrichRule {
  readonly via:
    | {
        readonly kind: "url";
        readonly url: string;
        readonly headers: Readonly<Record<string, string>>;
        /** Whether private and loopback addresses are allowed. By default, they are refused. */
        readonly isPrivateAllowed: boolean;
      }
    | { readonly kind: "program"; readonly path: string; readonly args: readonly string[] };
  /** The labels that an answer may set. */
  readonly labels: readonly string[];
  /** The timeout of one attempt. */
  readonly timeoutMs: number;
  /** The maximum number of questions about the watch's events that are under way at once. */
  readonly concurrency: number;
  /** How long an answer is used for other events with the same text, in ms; 0 if it is not. */
  readonly cacheMs: number;
  /**
   * What happens to an event without an answer: `pass` routes it immediately, `hold` tries again
   * for `maxHoldMs`.
   */
  readonly onError: "pass" | "hold";
  /** The maximum time that an event waits for its enrichment, in ms. */
  readonly maxHoldMs: number;
}

/**
 * What happens to items from the time while the watch was paused, disabled or removed. `digest`
 * sends one digest to a chat and single events to programs, `deliver` sends single alerts
 * everywhere, and `skip` sends nothing.
 */
export const ON_RETURNS = ["digest", "deliver", "skip"] as const;
export type OnReturn = (typeof ON_RETURNS)[number];

export interface Watch {
  readonly id: string;
  /** The name of a row of the registry in watches/. */
  readonly type: string;
  /** The type's own settings, parsed by its schema. */
  readonly settings: unknown;
  readonly timing: Timing;
  /** `auto` by default. */
  readonly strategy?: StrategyOverride;
  /**
   * The time between two full polls, which read everything regardless of probes. By default, the
   * planner decides.
   */
  readonly fullPollEveryMs?: number;
  /**
   * The time between two complete reads of a member list for which joins are reported; infinite if
   * it is never read completely. By default, it depends on the list's length.
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
   * The compiled CEL expression; absent if there is none. Runtime errors of the expression count as
   * "does not match".
   */
  readonly where?: {
    readonly text: string;
    matches(body: EventBody): boolean;
    /** Returns the expression, its conditions that are false, and the values that they compared. */
    describeFalse?(body: EventBody): string;
  };
  /** Only for watches of tweets. */
  readonly recheck?: RecheckRule;
  readonly spike?: SpikeRule;
  readonly enrich?: EnrichRule;
  /** An alert is raised if the watch has no event for this long, in ms. */
  readonly noEventsForMs?: number;
  /** The sinks that the watch names; empty if the routes decide. */
  readonly sinks: readonly string[];
  readonly enabled: boolean;
  readonly onReturn: OnReturn;
  readonly movedFrom?: string | undefined;
}
