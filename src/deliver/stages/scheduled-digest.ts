/** What a digest with a schedule lists, and in which order. Pure. */
import type { OutboxEvent, SinkLists } from "../../model/sink.ts";
import type { ScheduledDigest } from "../../route/route.ts";
import { byAge, type DigestDeps, type LaidOut, MOST_LISTED } from "./digest.ts";

/** The highest first where it sorts by a number, those without the number last; else the oldest first. */
export function sortScheduled(events: readonly OutboxEvent[], digest: ScheduledDigest | undefined): readonly OutboxEvent[] {
  const sortBy = digest?.sortBy;
  const oldestFirst = [...events].sort(byAge);
  if (sortBy === undefined) return oldestFirst;
  const numberOf = ({ event }: OutboxEvent): number => sortBy(event) ?? Number.NEGATIVE_INFINITY;
  const ranked = oldestFirst.map((event) => ({ event, rank: numberOf(event) }));
  return ranked.sort((a, b) => Number(b.rank > a.rank) - Number(b.rank < a.rank)).map(({ event }) => event);
}

/** `digest` is undefined once its route or sink has none any more: what was gathered until then goes out whole. */
export function layOutScheduled(
  events: readonly OutboxEvent[],
  digest: ScheduledDigest | undefined,
  lists: SinkLists,
  deps: DigestDeps,
): LaidOut {
  const most = Math.min(digest?.maxItems ?? MOST_LISTED, MOST_LISTED);
  const sorted = sortScheduled(events, digest);
  const unlisted = sorted.slice(most);
  const note = unlisted.length === 0 ? undefined : { count: unlisted.length, where: deps.listedAt(unlisted) };
  const parts = lists.render({ cause: "schedule", top: [], rest: sorted.slice(0, most), unlisted: note, read: deps.read });
  return { parts, unlisted };
}
