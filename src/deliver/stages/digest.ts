/** What a digest lists, in which order, and in how many messages: the most seen first, then all others as they came. Pure. */
import type { DigestCause } from "../../model/digest.ts";
import type { Digest, DigestPart, OutboxEvent, SinkLists } from "../../model/sink.ts";

/** Beyond these items a digest only counts. */
export const MOST_LISTED = 1_000;
const TOP_ITEMS = 10;

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

/** A group that is no digest stays one message if it can. */
export function layOutDigest(found: readonly OutboxEvent[], cause: DigestCause | undefined, lists: SinkLists, deps: DigestDeps): LaidOut {
  const events = [...found].sort(byAge);
  const plain = { cause, top: [], rest: events, unlisted: undefined, read: deps.read };
  if (events.length <= TOP_ITEMS) return { parts: lists.render(plain), unlisted: [] };
  if (cause === undefined) {
    const parts = lists.render(plain);
    if (parts.length === 1) return { parts, unlisted: [] };
  }
  const top = [...events].sort((a, b) => viewsOf(b) - viewsOf(a)).slice(0, TOP_ITEMS);
  const others = events.filter((event) => !top.includes(event));
  const unlisted = others.slice(MOST_LISTED - TOP_ITEMS);
  const rest = others.slice(0, MOST_LISTED - TOP_ITEMS);
  const note = unlisted.length === 0 ? undefined : { count: unlisted.length, where: deps.listedAt(unlisted) };
  return { parts: lists.render({ cause, top, rest, unlisted: note, read: deps.read }), unlisted };
}

/** Several polls may have found them, the older ones last. Some times are known to the second only; within one, ids grow with time. */
export const byAge = ({ event: a }: OutboxEvent, { event: b }: OutboxEvent): number =>
  secondOf(a) - secondOf(b) || a.subject.length - b.subject.length || Number(a.subject > b.subject) - Number(a.subject < b.subject);

const secondOf = ({ occurredAtMs }: OutboxEvent["event"]): number => Math.floor(occurredAtMs / 1_000);

/** How many people saw it, or could have: views of a tweet, followers of an account. */
function viewsOf({ event }: OutboxEvent): number {
  const { tweet, user } = event.body;
  return tweet?.view_count ?? user?.followers_count ?? 0;
}
