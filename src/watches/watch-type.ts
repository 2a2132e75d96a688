/**
 * What a file in watches/ says about one watch type. Everything else (validation, JSON Schema,
 * docs, planning, reading aloud) is derived.
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

/** A target before its first poll; `account` where its user id must be known to ask for it. */
export interface TargetSpec extends TargetRegistration {
  readonly account?: AccountRef;
}

/**
 * How a type's observations become events: one of the three detectors, with its rule. A ranking is
 * a reading of a list.
 */
export type Detection<S> =
  | { readonly detector: "feed"; readonly event: "tweet.created" }
  | { readonly detector: "roster"; readonly rule: (settings: S, target: TargetState) => RosterRule }
  | { readonly detector: "reading"; readonly rule: (settings: S) => ReadingRule }
  | { readonly detector: "reading"; readonly ranking: (settings: S) => RankingRule };

/**
 * A name that `where` sees: a whole tweet, a user, a list of texts, any value whose type varies, or
 * an object with such fields and CEL's own types (`int`, `double`, `string`, `bool`).
 */
export type BodyField = "tweet" | "user" | "texts" | "dyn" | { readonly [field: string]: string };

export interface MessageContext {
  /** Host of permalinks, e.g. `https://x.com`. */
  readonly linksHost: string;
  /** How numbers are written; English where absent. */
  readonly locale?: string;
}

export interface WatchType<S = unknown> {
  /** The value of `type:` in the YAML. */
  readonly type: string;
  /** One line for the reference. */
  readonly summary: string;
  /**
   * Own keys only, each with `.describe()`; a strict object, made when first asked for. Common keys
   * (schedule, sink, …) are added by config/.
   */
  readonly schema: () => z.ZodObject;
  /** A watch of this type as YAML, without its id: validates with a `sink` added. */
  readonly example: string;
  /** Names that `where` sees besides `labels`: those of the event's body. */
  readonly body: Readonly<Record<string, BodyField>>;
  /** Event types it gives. */
  readonly events: readonly string[];
  /** Rows of the endpoint table that it asks. */
  readonly endpoints: readonly string[];
  readonly include: Include;
  /** Shortest interval at which its data can change; polling faster buys nothing. */
  readonly dataIntervalMs?: number;
  readonly detection: Detection<S>;
  targets(
    settings: S,
    watchId: string,
    fingerprint: (source: Source) => string,
  ): readonly TargetSpec[];
  /**
   * What to ask for one target. Called when the target's user id is known, where it names an
   * account.
   */
  source(settings: S, target: SourceTarget): Source;
  /**
   * The settings with every account that they name beside the targets replaced; where they can name
   * one.
   */
  mapAccounts?(settings: S, replace: (account: NamedAccount) => NamedAccount): S;
  /**
   * Whether the service is asked by the account's handle alone: it must be known then, and is
   * looked up again now and then.
   */
  readonly needsHandle?: true;
  /** Whether a 404 can mean "the service has not indexed this account". */
  needsIndex?(settings: S, target: Pick<TargetState, "memory">): boolean;
  /**
   * What to remember of a target that is not indexed, so that its source becomes another one;
   * undefined: it stays unreadable.
   */
  withoutIndex?(settings: S): JsonObject | undefined;
  /** The public list its accounts are read through, where the watch names one. */
  viaList?(settings: S): string | undefined;
  /**
   * What this type can miss or cannot see, in words for `plan` and the docs; empty when nothing.
   */
  caveats(settings: S): readonly string[];
  /**
   * What the watch says about where its requests are placed; undefined where it has no such keys.
   */
  placing?(settings: S): Pick<Watch, "strategy" | "fullPollEveryMs" | "fullReadEveryMs">;
  /**
   * Fields of a profile that move when an account has news for this type; undefined where a profile
   * shows nothing.
   */
  readonly probeFields?: readonly string[];
  /** Requests of one poll that brings less than a page of news. */
  costRequests(settings: S): number;
  read(event: OutboxEvent, context: MessageContext): NeutralMessage;
}

/**
 * Whether it reports tweets as they appear: `include`, `ignore.words` and `freshness` are for
 * these.
 */
export const isTweetFeed = (type: WatchType<any>): boolean => type.detection.detector === "feed";
