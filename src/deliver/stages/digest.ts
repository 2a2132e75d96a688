/**
 * Decides the heading and the sections of a digest, and which alerts it only counts.
 * digest-sections.ts orders the alerts, and render/ writes the lines. Pure.
 */
import type { DigestCause, DigestPeriod, DigestSeries } from "../../model/digest.ts";
import type {
  ActAt,
  Digest,
  DigestPart,
  OutboxEvent,
  SinkLists,
  Unlisted,
} from "../../model/sink.ts";
import type { Region } from "../../model/template.ts";
import { countTypes } from "../../render/text/kind-words.ts";
import { sortValue } from "../../render/text/sort-value.ts";
import { isAfterAlert } from "../../route/follow-up.ts";
import type { ScheduledDigest } from "../../route/route.ts";
import { dealItems, sectionsOf } from "./digest-sections.ts";

/** The maximum number of watches that a heading names. */
const MAX_NAMES = 3;

export interface DigestDeps {
  read: Digest["read"];
  /** Returns where a person finds these events: a web address or a command. */
  listedAt(events: readonly OutboxEvent[]): string;
}

export interface LaidOut {
  /** The messages of the digest. Each is rendered when the iteration reaches it. */
  readonly parts: Iterable<DigestPart>;
  /** Events that the first part counts and no part lists. */
  readonly unlisted: readonly OutboxEvent[];
}

/** The facts about a list of alerts, other than the alerts themselves. */
export interface ListFacts {
  readonly cause: DigestCause | undefined;
  /**
   * The scheduled digest as configured. Undefined if the list is no scheduled digest, or if its
   * route or sink does not have one any more; then the list contains all its alerts.
   */
  readonly written?: ScheduledDigest | undefined;
  /** The period that a scheduled digest covers. */
  readonly period?: DigestPeriod | undefined;
  readonly region?: Region | undefined;
  readonly series?: DigestSeries | undefined;
  readonly deleted?: number | undefined;
  readonly mentions: readonly string[];
  /** A note about the alerts in `noted`, which the message counts and does not list. */
  readonly note?: Unlisted | undefined;
  readonly noted?: readonly OutboxEvent[];
  /** Absent if messages of the sink do not link to the page. */
  readonly actAt?: ActAt | undefined;
}

export function layOutDigest(
  found: readonly OutboxEvent[],
  facts: ListFacts,
  lists: SinkLists,
  deps: DigestDeps,
): LaidOut {
  const { cause, written, region, series, deleted, mentions, note, noted = [] } = facts;
  const actionsUrl = facts.actAt?.([...found, ...noted]);
  const events = [...found].sort(byAge);
  const whole = sectionsOf(events, { groupBy: written?.groupBy, sortBy: written?.sortBy });
  // Without a schedule a digest lists every alert, in as many messages as needed.
  const { sections, unlisted } = dealItems(whole, written?.maxItems ?? Number.POSITIVE_INFINITY);
  const sortBy = written?.sortBy;
  const period = periodOf(events, facts);
  const digest: Digest = {
    cause,
    title: written?.title ?? titleOf(events),
    period,
    region,
    counts: countTypes([...events, ...noted]),
    sections,
    unlisted:
      unlisted.length === 0 ? note : { count: unlisted.length, where: deps.listedAt(unlisted) },
    ...(actionsUrl === undefined ? {} : { actionsUrl }),
    series,
    ...(cause === undefined || deleted === undefined ? {} : { deleted }),
    mentions,
    isFollowUp:
      cause === "snooze" || (events.length > 0 && events.every(({ event }) => isAfterAlert(event))),
    ...(sortBy === undefined
      ? {}
      : {
          valueText: ({ event }) =>
            isInTitle(event, sortBy.name)
              ? undefined
              : sortValue(sortBy.name, sortBy.of(event), region?.locale),
        }),
    read: deps.read,
  };
  return { parts: lists.render(digest), unlisted };
}

/** Whether the title of the alert has the number by which the digest is sorted: it crossed a threshold. */
function isInTitle({ body: { crossed } }: OutboxEvent["event"], name: string): boolean {
  return Array.isArray(crossed) && crossed.includes(name.split(".").at(-1) ?? name);
}

/** Returns the names of the watches in the digest, those with the most alerts first. */
export function titleOf(events: readonly OutboxEvent[]): string {
  const counts = new Map<string, number>();
  for (const { event } of events) counts.set(event.watch, (counts.get(event.watch) ?? 0) + 1);
  const names = [...counts].sort(([, a], [, b]) => b - a).map(([watch]) => watch || "chirpwatch");
  return names.length > MAX_NAMES ? `${names.length} watches` : names.join(", ");
}

/**
 * Returns the period of a digest. For a throttle it is the time in which its alerts were found; for
 * a return or a backfill, the time in which they happened.
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
 * Compares events by age. The order in which events were found is no help, because a later poll may
 * find older events. Some times are only known to the second; within a second, ids increase with
 * time.
 */
export const byAge = ({ event: a }: OutboxEvent, { event: b }: OutboxEvent): number =>
  secondOf(a) - secondOf(b) ||
  a.subject.length - b.subject.length ||
  Number(a.subject > b.subject) - Number(a.subject < b.subject);

const secondOf = ({ occurredAtMs }: OutboxEvent["event"]): number =>
  Math.floor(occurredAtMs / 1_000);
