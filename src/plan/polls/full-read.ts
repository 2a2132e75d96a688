/**
 * Computes how many requests a complete read of a paged account list takes, from what the state
 * knows about the list's length, and how often such reads happen.
 */
import type { Endpoint } from "../../api/endpoint.ts";
import { ENDPOINTS } from "../../api/endpoints/index.ts";
import type { WatchState } from "../../model/watch-store.ts";
import type { Watch } from "../../model/watch.ts";
import type { Poll } from "../poll.ts";
import { MEMBERS_PER_PAGE, memberCountOf, readSoFar, wholeReadEveryMs } from "./whole-reads.ts";

const DAY_MS = 86_400_000;

/** Whether a poll's list is read completely, even if only once a day. */
export const readsWholeList = (poll: Poll): boolean =>
  poll.detector === "roster" && cursorOf(poll) !== undefined;

/** Whether every poll continues through the whole list, because a subscriber reports who left. */
export const isReadByEveryPoll = (poll: Poll): boolean =>
  poll.subscribers.some(({ type: { detection }, watch }) => {
    if (detection.detector !== "roster" || detection.rule === undefined) return false;
    const rule: { readonly mode?: unknown } = detection.rule(watch.settings, { memory: {} });
    return rule.mode === "whole";
  });

/**
 * Returns the requests per day, beyond first pages, that read a list completely. No poll reads more
 * than `max_pages` of it.
 */
export function dailyRead(
  { maxPages, subscribers }: Pick<Poll, "maxPages" | "subscribers">,
  pollsPerDay: number,
  pages: number,
): number {
  const readsPerDay = DAY_MS / wholeReadEveryMs(subscribers, pages * MEMBERS_PER_PAGE);
  return Math.min(Math.min(readsPerDay, pollsPerDay) * (pages - 1), pollsPerDay * (maxPages - 1));
}

const endpointOf = (poll: Poll): Endpoint | undefined =>
  (ENDPOINTS as Readonly<Record<string, Endpoint>>)[poll.source.endpoint];
const cursorOf = (poll: Poll): Endpoint["cursor"] => endpointOf(poll)?.cursor;

/**
 * Returns the requests of a complete read: as many as the last one took or, before the first, one
 * for each page of members that the profile or the state counts. It is 1 for lists that are not
 * read completely, or if nothing is known.
 */
export const fullReadPages = (poll: Poll, states: readonly WatchState[]): number =>
  knownPages(poll, states) ?? 1;

/** Returns the known number of pages; undefined if nothing is known about the list's length. */
export function knownPages(poll: Poll, states: readonly WatchState[]): number | undefined {
  const [subscriber] = poll.subscribers;
  if (!readsWholeList(poll) || subscriber === undefined) return undefined;
  const owner = stateOf(subscriber.watch, states);
  const memory = owner?.targets.find(({ key }) => key === subscriber.targetKey)?.memory ?? {};
  if (typeof memory["pages"] === "number") return memory["pages"];
  const isBeingRead = readSoFar(memory) !== undefined;
  // If a list was read completely and no number of pages was stored, it took one page, however long
  // the lists of other accounts are.
  if (memory["baseline_of"] !== undefined && !isBeingRead) return 1;
  const size = memberCountOf(memory);
  if (size !== undefined) return Math.max(1, Math.ceil(size / MEMBERS_PER_PAGE));
  const pageSize = endpointOf(poll)?.pageSize;
  const members =
    owner === undefined || pageSize === undefined
      ? 0
      : owner.knownItems / Math.max(1, owner.targets.length);
  return members === 0 ? undefined : Math.ceil(members / (pageSize ?? 1));
}

/** Returns what the state knows of a watch, also under its former id. */
export const stateOf = (
  watch: Pick<Watch, "id" | "movedFrom">,
  states: readonly WatchState[],
): WatchState | undefined =>
  states.find(({ id }) => id === watch.id) ?? states.find(({ id }) => id === watch.movedFrom);
