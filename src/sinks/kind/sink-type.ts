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
   * Writes a line or block of text. The console sink has no other output. Rejects if the output is
   * closed, so that nobody reads the text.
   */
  readonly write: (text: string) => void | Promise<void>;
  /**
   * Whether `write` and the log share one output. The log consists of JSON lines, so alerts are
   * then written as JSON, too.
   */
  readonly writesToLog?: boolean;
  /** Outputs other than HTTP: files, programs and mail. */
  readonly outputs: Outputs;
  readonly linksHost: string;
}

/**
 * A place that a sink sends to. The sandbox checks it, so that its invented tweets never reach a
 * real channel.
 */
export type Destination =
  | { readonly kind: "console" | "file" }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "program"; readonly path: string };

/**
 * A setting that is valid but probably not what the operator wants. `rule`: the name of the warning
 * in `config/`.
 */
export interface SinkDoubt {
  readonly rule:
    | "unsigned-webhook"
    | "private-webhook"
    | "other-chat"
    | "slack-token"
    | "no-effect";
  /** The key of the setting in question; absent if the warning concerns the whole sink. */
  readonly key?: string;
  /** The key of a setting that is missing and should be there. */
  readonly missing?: string;
  readonly message: string;
}

export interface WrittenCondition {
  /** The path to the condition inside the sink's settings. */
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** Compiles the text of a condition; undefined if there is no text. */
export type MatchesOf = (text: string | undefined) => Matches | undefined;

/** Whether an event with this body and these labels meets a condition. */
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
   * The keys of this sink type, as a strict object, each with `.describe()`. `config/` adds the
   * common keys, such as `retry_for` and `throttle`.
   */
  readonly schema: z.ZodObject;
  /**
   * The keys that hold secrets. `config/` adds a `<key>_file` for each, and warns of a secret that
   * is written literally. If a secret is an address, messages show only its host and a fingerprint.
   */
  readonly secrets: readonly string[];
  /**
   * Keys in `secrets` that exclude each other. If a sink sets one of them, the defaults of all of
   * them are ignored.
   */
  readonly alternatives?: readonly string[];
  /**
   * Keys in `secrets` that often hold nothing secret, such as a plain address. There is no warning
   * if they are written literally.
   */
  readonly mayBeLiteral?: readonly string[];
  /** Keys with the path of a file to write. `config/` makes them absolute, like `state.path`. */
  readonly paths?: readonly string[];
  /** Returns the names that files get when they are rotated, derived from `paths`. */
  rotatedPaths?(settings: S): readonly string[];
  /** A sink of this type in YAML, without its name. */
  readonly example: string;
  /**
   * Whether the sink is a chat that people read. Chats are throttled, get one alert per subject in
   * 24 h and follower events in bundles, and their `retry_for` is 24h instead of 76h.
   */
  readonly chat: boolean;
  /**
   * For a sink that programs read, the form in which it sends events: as documents that may hold
   * several events, or as one line for each event. Absent if the sink sends digests for people.
   */
  readonly sendsEvents?: "documents" | "lines";
  /** Whether its messages contain times that the chat shows in each reader's own time zone. */
  readonly hasMoments?: true;
  /** The number of messages that may be sent at the same time. */
  readonly concurrency: number;
  /**
   * Returns the documented rate limits of the vendor for the sink's channel, if the vendor's
   * answers do not report them before they are reached.
   */
  limits?(settings: S): readonly SendLimit[];
  /**
   * What the answers of its receiver mean, for docs/sinks.md: at least one successful answer, and
   * every kind of failure that the type distinguishes.
   */
  readonly answers: readonly MeantAnswer[];
  /** Returns warnings about settings of the sink with that name. */
  doubts?(name: string, settings: S): readonly SinkDoubt[];
  readonly conditions?: SinkConditions<S>;
  /** Returns every place to which the sink would send. */
  destinations(settings: S): readonly Destination[];
  /**
   * Returns where the sink posts, in words: "#brand", "console". Not called if a secret is an
   * address.
   */
  describe?(settings: S): string;
  /**
   * Returns the URL at which people see a message. `ref` and `channel`: the vendor's ids of the
   * message and its channel. Absent or undefined if the URL cannot be known without a request.
   */
  linkTo?(settings: S, ref: string, channel?: string): string | undefined;
  /** Creates a sink. Loads SDKs on first use; makes no requests. */
  create(name: string, settings: S, deps: SinkDeps): Promise<Sink>;
  /**
   * Checks the credentials when the daemon starts, if one cheap request can do so (Slack's
   * auth.test). @throws SinkError
   */
  check?(settings: S, deps: SinkDeps): Promise<void>;
}
