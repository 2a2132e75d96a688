/**
 * What a digest says: its heading, its sections, and what it only counts. The order within is
 * digest-sections.ts's, the lines are render/'s. Pure.
 */
import type { DigestCause, DigestPeriod, DigestSeries } from "../../model/digest.ts";
import type { Digest, DigestPart, OutboxEvent, SinkLists, Unlisted } from "../../model/sink.ts";
import type { Region } from "../../model/template.ts";
import { countTypes } from "../../render/text/kind-words.ts";
import { sortValue } from "../../render/text/sort-value.ts";
import type { ScheduledDigest } from "../../route/route.ts";
import { dealItems, sectionsOf } from "./digest-sections.ts";

/** Beyond these items a digest only counts. */
export const MOST_LISTED = 1_000;
/** A heading names no more watches. */
const MAX_NAMES = 3;

export interface DigestDeps {
  read: Digest["read"];
  /** Where a person finds these events: a web address or a command. */
  listedAt(events: readonly OutboxEvent[]): string;
}

export interface LaidOut {
  readonly parts: readonly DigestPart[];
  /** Counted in the first part, listed in none. */
  readonly unlisted: readonly OutboxEvent[];
}

/** What is known of a list beside its events. */
export interface ListFacts {
  readonly cause: DigestCause | undefined;
  /**
   * The configured digest with a schedule. It is undefined once its route or sink has none any
   * more, and the digest then lists all its alerts.
   */
  readonly written?: ScheduledDigest | undefined;
  /** The time that a digest with a schedule is about. */
  readonly period?: DigestPeriod | undefined;
  readonly region?: Region | undefined;
  readonly series?: DigestSeries | undefined;
  readonly deleted?: number | undefined;
  readonly mentions: readonly string[];
  /** Alerts that are not among its events: another part counts them. */
  readonly note?: Unlisted | undefined;
  readonly noted?: readonly OutboxEvent[];
}

export function layOutDigest(
  found: readonly OutboxEvent[],
  facts: ListFacts,
  lists: SinkLists,
  deps: DigestDeps,
): LaidOut {
  const { cause, written, region, series, deleted, mentions, note, noted = [] } = facts;
  const events = [...found].sort(byAge);
  const whole = sectionsOf(events, { groupBy: written?.groupBy, sortBy: written?.sortBy });
  const { sections, unlisted } = dealItems(
    whole,
    Math.min(written?.maxItems ?? MOST_LISTED, MOST_LISTED),
  );
  const sortBy = written?.sortBy;
  const period = periodOf(events, facts);
  const digest: Digest = {
    cause,
    title: written?.title ?? titleOf(events),
    ...(period === undefined ? {} : { period }),
    ...(region === undefined ? {} : { region }),
    counts: countTypes([...events, ...noted]),
    sections,
    unlisted:
      unlisted.length === 0 ? note : { count: unlisted.length, where: deps.listedAt(unlisted) },
    ...(series === undefined ? {} : { series }),
    ...(cause === undefined || deleted === undefined ? {} : { deleted }),
    mentions,
    ...(sortBy === undefined
      ? {}
      : { valueText: ({ event }) => sortValue(sortBy.name, sortBy.of(event), region?.locale) }),
    read: deps.read,
  };
  return { parts: lists.render(digest), unlisted };
}

/** The watches that it is about, those with the most alerts first. */
function titleOf(events: readonly OutboxEvent[]): string {
  const counts = new Map<string, number>();
  for (const { event } of events) counts.set(event.watch, (counts.get(event.watch) ?? 0) + 1);
  const names = [...counts].sort(([, a], [, b]) => b - a).map(([watch]) => watch || "chirpwatch");
  return names.length > MAX_NAMES ? `${names.length} watches` : names.join(", ");
}

/**
 * A throttle's is the time in which its alerts were found, that of a return or a backfill the time
 * in which they happened.
 */
function periodOf(
  events: readonly OutboxEvent[],
  { cause, period }: ListFacts,
): DigestPeriod | undefined {
  if (cause === undefined || period !== undefined || events.length === 0) return period;
  const timesMs = events.map(({ event }) =>
    cause === "return" || cause === "backfill" ? event.occurredAtMs : event.detectedAtMs,
  );
  return { fromMs: Math.min(...timesMs), toMs: Math.max(...timesMs) };
}

/**
 * Several polls may have found them, the older ones last. Some times are known to the second only;
 * within one, ids grow with time.
 */
export const byAge = ({ event: a }: OutboxEvent, { event: b }: OutboxEvent): number =>
  secondOf(a) - secondOf(b) ||
  a.subject.length - b.subject.length ||
  Number(a.subject > b.subject) - Number(a.subject < b.subject);

const secondOf = ({ occurredAtMs }: OutboxEvent["event"]): number =>
  Math.floor(occurredAtMs / 1_000);
