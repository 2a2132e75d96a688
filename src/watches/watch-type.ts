/**
 * The definition of a watch type, one file in watches/ for each. Everything else (validation, JSON
 * Schema, docs, planning, messages) is derived from it.
 */
import type { z } from "zod";
import type { RankingRule } from "../detect/ranking.ts";
import type { ReadingRule } from "../detect/reading.ts";
import type { RosterRule } from "../detect/roster.ts";
import type { AccountRef, NamedAccount } from "../model/account.ts";
import type { JsonObject } from "../model/json.ts";
import type { NeutralMessage } from "../model/message.ts";
import type { OutboxEvent } from "../model/sink.ts";
import type { Source, SourceTarget } from "../model/source.ts";
import type { TargetRegistration, TargetState } from "../model/watch-store.ts";
import type { Include, Watch } from "../model/watch.ts";

/**
 * A target before its first poll. `account` is set if requests for the target need that account's
 * user id.
 */
export interface TargetSpec extends TargetRegistration {
  readonly account?: AccountRef;
}

/**
 * How a type's observations become events: one of the three detectors, with its rule. `ranking` is
 * for a reading that is a list, such as the trends of a place.
 */
export type Detection<S> =
  | { readonly detector: "feed"; readonly event: "tweet.created" }
  | { readonly detector: "roster"; readonly rule: (settings: S, target: TargetState) => RosterRule }
  | { readonly detector: "reading"; readonly rule: (settings: S) => ReadingRule }
  | { readonly detector: "reading"; readonly ranking: (settings: S) => RankingRule };

/**
 * The type of a name in `where`: a whole tweet, a user, a list of texts, a value of any type
 * (`dyn`), or an object whose fields have CEL types (`int`, `double`, `string`, `bool`, `dyn`).
 */
export type BodyField = "tweet" | "user" | "texts" | "dyn" | { readonly [field: string]: string };

export interface MessageContext {
  /** The host of permalinks, e.g. `https://x.com`. */
  readonly linksHost: string;
  /** The locale for numbers; English if absent. */
  readonly locale?: string | undefined;
  /** The time zone for times in sentences; UTC, which is then named, if absent. */
  readonly timezone?: string | undefined;
}

export interface WatchType<S = unknown> {
  /** The value of `type:` in the YAML. */
  readonly type: string;
  /** What the type reports, in one line for the reference page. */
  readonly summary: string;
  /**
   * Returns the schema of the type's own keys: a strict object in which each key has a description.
   * It is created at the first call. config/ adds the common keys (schedule, sink, …).
   */
  readonly schema: () => z.ZodObject;
  /** A watch of this type as YAML, without its id. It validates with a `sink` added. */
  readonly example: string;
  /** The names in the event's body, with their types. `where` can use them and `labels`. */
  readonly body: Readonly<Record<string, BodyField>>;
  /** The event types that it raises. */
  readonly events: readonly string[];
  /** The names of the endpoints that it uses, as in the endpoint table of api/. */
  readonly endpoints: readonly string[];
  readonly include: Include;
  /** The shortest interval at which its data can change. Polling faster shows nothing more. */
  readonly dataIntervalMs?: number;
  readonly detection: Detection<S>;
  targets(
    settings: S,
    watchId: string,
    fingerprint: (source: Source) => string,
  ): readonly TargetSpec[];
  /**
   * Returns the request for one target. If the target is an account, it is called once the user id
   * is known.
   */
  source(settings: S, target: SourceTarget): Source;
  /**
   * Returns the settings with `replace` applied to each account that they name beside the targets,
   * such as the `account` of a `membership` watch. Absent if they name none.
   */
  mapAccounts?(settings: S, replace: (account: NamedAccount) => NamedAccount): S;
  /**
   * Set if requests name an account by its handle and not by its id. The handle must then be known
   * before a poll, and the engine requests it again at intervals.
   */
  readonly needsHandle?: true;
  /** Whether a 404 can mean that the service has not indexed this account. */
  needsIndex?(settings: S, target: Pick<TargetState, "memory">): boolean;
  /**
   * Returns what to store in the memory of a target that turns out not to be indexed, so that
   * `source` requests another endpoint; undefined if there is none, and the target stays
   * unreadable.
   */
  withoutIndex?(settings: S): JsonObject | undefined;
  /** Returns the public list through which its accounts are read, if the watch names one. */
  viaList?(settings: S): string | undefined;
  /**
   * Returns what this type can miss or cannot see, in words for `plan` and the docs; empty if there
   * is nothing.
   */
  caveats(settings: S): readonly string[];
  /**
   * Returns the watch's settings that say how the planner may arrange its requests. Absent if the
   * type has no such keys.
   */
  placing?(settings: S): Pick<Watch, "strategy" | "fullPollEveryMs" | "fullReadEveryMs">;
  /**
   * The fields of a profile that change when an account has news for this type. Absent if a profile
   * does not show whether there is news.
   */
  readonly probeFields?: readonly string[];
  /** Returns how many requests a poll takes if it finds less than a page of new items. */
  costRequests(settings: S): number;
  read(event: OutboxEvent, context: MessageContext): NeutralMessage;
}

/**
 * Whether a type reports tweets as they appear. `include`, `ignore.words` and `freshness` are only
 * for these types.
 */
export const isTweetFeed = (type: WatchType<any>): boolean => type.detection.detector === "feed";
