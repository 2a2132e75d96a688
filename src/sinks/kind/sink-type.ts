/** What a file in sinks/ says about one sink type. */
import type { z } from "zod";
import type { Clock } from "../../model/clock.ts";
import type { EventBody, Labels } from "../../model/event.ts";
import type { Http } from "../../model/http.ts";
import type { Log } from "../../model/log.ts";
import type { Outputs } from "../../model/outputs.ts";
import type { SendLimit, Sink } from "../../model/sink.ts";
import type { MeantAnswer } from "./meant-answer.ts";

export interface SinkDeps {
  readonly http: Http;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Writes one line or block for people; the console sink's only way out. Rejects when nobody reads
   * it.
   */
  readonly write: (text: string) => void | Promise<void>;
  /** What it writes stands among the lines of the log, which are JSON. */
  readonly writesToLog?: boolean;
  /** Files and other ways out that are not HTTP. */
  readonly outputs: Outputs;
  readonly linksHost: string;
}

/** Where a sink sends, for the guard that keeps invented tweets out of real channels. */
export type Destination =
  | { readonly kind: "console" | "file" }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "program"; readonly path: string };

/** Something allowed that is perhaps not meant. `rule`: as config/ names the warning. */
export interface SinkDoubt {
  readonly rule:
    | "unsigned-webhook"
    | "private-webhook"
    | "other-chat"
    | "slack-token"
    | "no-effect";
  /** The setting it is about; the whole sink when absent. */
  readonly key?: string;
  /** The setting that it misses. */
  readonly missing?: string;
  readonly message: string;
}

export interface WrittenCondition {
  /** Its place below the sink. */
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** The condition that is written so; undefined where none is. */
export type MatchesOf = (text: string | undefined) => Matches | undefined;

/** Whether an event fulfils a condition, by its body and its labels. */
export type Matches = (body: EventBody, labels?: Labels) => boolean;

/**
 * Conditions over an event's body among a sink's settings. config/ compiles them, where expressions
 * are known.
 */
export interface SinkConditions<S> {
  written(settings: S): readonly WrittenCondition[];
  /** The same settings with their conditions made out. */
  withMatches(settings: S, matchesOf: MatchesOf): S;
}

export interface SinkType<S = unknown> {
  /** The value of `type:` in the YAML. */
  readonly type: string;
  readonly summary: string;
  /**
   * Own keys only, each with `.describe()`; a strict object. `retry_for` and `throttle` are added
   * by config/. Secrets are named in `secrets`.
   */
  readonly schema: z.ZodObject;
  /**
   * Keys that hold secrets: each also exists as `<key>_file`, and a literal value earns a warning.
   * An address is shown by host and fingerprint.
   */
  readonly secrets: readonly string[];
  /** Those of `secrets` of which a sink has one: its own replaces every one of its defaults. */
  readonly alternatives?: readonly string[];
  /**
   * Those of `secrets` that often hold none, as an address does: written out they earn no warning.
   */
  readonly mayBeLiteral?: readonly string[];
  /** Keys that hold the path of a file to write: config/ makes them absolute, as `state.path`. */
  readonly paths?: readonly string[];
  /** The names that such a file is given once it is full. */
  rotatedPaths?(settings: S): readonly string[];
  /** A sink of this type as YAML, without its name. */
  readonly example: string;
  /**
   * Chat sinks: throttled, one alert per subject in 24 h, follower events bundled, `retry_for` 24h
   * instead of 76h.
   */
  readonly chat: boolean;
  /** Its messages hold moments that each reader sees in their own time zone. */
  readonly hasMoments?: true;
  /** Messages under way at once. */
  readonly concurrency: number;
  /**
   * What the vendor allows for one place by its documentation, where its answers do not say it in
   * time.
   */
  limits?(settings: S): readonly SendLimit[];
  /**
   * What its receiver's answers mean, for docs/sinks.md: at least one that is taken, and every kind
   * of failure that it distinguishes.
   */
  readonly answers: readonly MeantAnswer[];
  /** Of the sink of that name. */
  doubts?(name: string, settings: S): readonly SinkDoubt[];
  readonly conditions?: SinkConditions<S>;
  /** Every place this sink would send to. */
  destinations(settings: S): readonly Destination[];
  /**
   * Where it posts, for people: "#brand", "console". Not asked where `secrets` holds an address.
   */
  describe?(settings: S): string;
  /**
   * Where people see a message, by the sink's own ids of it and of its place; absent, or undefined,
   * where only a request could find out.
   */
  linkTo?(settings: S, ref: string, channel?: string): string | undefined;
  /** Loads SDKs on first use; calls nothing. */
  create(name: string, settings: S, deps: SinkDeps): Promise<Sink>;
  /**
   * Called at start where a sink can prove its credentials cheaply (Slack's auth.test). @throws
   * SinkError
   */
  check?(settings: S, deps: SinkDeps): Promise<void>;
}
