/** The interface of a sink type, which each file in `sinks/` implements. */
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
   * Writes a line or block of text; the only output of the console sink. Rejects if nothing reads
   * it.
   */
  readonly write: (text: string) => void | Promise<void>;
  /** Whether the output of `write` appears among the lines of the log, which are JSON. */
  readonly writesToLog?: boolean;
  /** Files and other outputs that are not HTTP. */
  readonly outputs: Outputs;
  readonly linksHost: string;
}

/** Where a sink sends, for the guard that keeps invented tweets out of real channels. */
export type Destination =
  | { readonly kind: "console" | "file" }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "program"; readonly path: string };

/** A setting that is allowed but perhaps not meant. `rule`: the warning's name in `config/`. */
export interface SinkDoubt {
  readonly rule:
    | "unsigned-webhook"
    | "private-webhook"
    | "other-chat"
    | "slack-token"
    | "no-effect";
  /** The setting that it is about; the whole sink if absent. */
  readonly key?: string;
  /** The setting that is missing. */
  readonly missing?: string;
  readonly message: string;
}

export interface WrittenCondition {
  /** The place of the condition below the sink. */
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** Returns the compiled condition of a text; undefined if there is none. */
export type MatchesOf = (text: string | undefined) => Matches | undefined;

/** Whether an event fulfils a condition, by its body and its labels. */
export type Matches = (body: EventBody, labels?: Labels) => boolean;

/**
 * The conditions on events in a sink's settings. `config/` compiles them, because it knows the
 * expression language.
 */
export interface SinkConditions<S> {
  written(settings: S): readonly WrittenCondition[];
  /** Returns the settings with their compiled conditions. */
  withMatches(settings: S, matchesOf: MatchesOf): S;
}

export interface SinkType<S = unknown> {
  /** The value of `type:` in the YAML. */
  readonly type: string;
  readonly summary: string;
  /**
   * The type's own keys, each with `.describe()`, as a strict object. `config/` adds `retry_for`
   * and `throttle`. Secrets are listed in `secrets`.
   */
  readonly schema: z.ZodObject;
  /**
   * Keys with secrets. Each also exists as `<key>_file`, and a literal value causes a warning. An
   * address is shown by host and fingerprint.
   */
  readonly secrets: readonly string[];
  /**
   * The keys in `secrets` of which a sink has only one: its own value replaces all defaults of these
   * keys.
   */
  readonly alternatives?: readonly string[];
  /**
   * The keys in `secrets` that often contain no secret, such as an address. A literal value causes no
   * warning.
   */
  readonly mayBeLiteral?: readonly string[];
  /** Keys with the path of a file to write. `config/` makes them absolute, like `state.path`. */
  readonly paths?: readonly string[];
  /** Returns the names that such a file gets once it is full. */
  rotatedPaths?(settings: S): readonly string[];
  /** A sink of this type as YAML, without its name. */
  readonly example: string;
  /**
   * Whether it is a chat. Chats are throttled, get one alert per subject in 24 h and follower
   * events in bundles, and their `retry_for` is 24h instead of 76h.
   */
  readonly chat: boolean;
  /**
   * The form in which it sends events if it has no lists for people: documents of several events,
   * or a line for each event.
   */
  readonly sendsEvents?: "documents" | "lines";
  /** Whether messages contain times that each reader sees in their own time zone. */
  readonly hasMoments?: true;
  /** The number of messages that may be sent at the same time. */
  readonly concurrency: number;
  /**
   * Returns what the vendor's documentation allows for one place, if answers do not say it in time.
   */
  limits?(settings: S): readonly SendLimit[];
  /**
   * What its receiver's answers mean, for docs/sinks.md: at least one successful answer, and every
   * kind of failure that the type distinguishes.
   */
  readonly answers: readonly MeantAnswer[];
  /** Warns about the settings of the sink with that name. */
  doubts?(name: string, settings: S): readonly SinkDoubt[];
  readonly conditions?: SinkConditions<S>;
  /** Returns every place to which the sink would send. */
  destinations(settings: S): readonly Destination[];
  /**
   * Returns where it posts, in words: "#brand", "console". Not called if `secrets` contains an
   * address.
   */
  describe?(settings: S): string;
  /**
   * Returns where people see a message, by the sink's own ids of the message and its channel.
   * Absent or undefined if only a request could find out.
   */
  linkTo?(settings: S, ref: string, channel?: string): string | undefined;
  /** Creates a sink. Loads SDKs on first use; makes no requests. */
  create(name: string, settings: S, deps: SinkDeps): Promise<Sink>;
  /**
   * Checks the credentials at the start, if a sink can do so cheaply (Slack's auth.test). @throws
   * SinkError
   */
  check?(settings: S, deps: SinkDeps): Promise<void>;
}
