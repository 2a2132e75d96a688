/**
 * How many requests a whole read of a paged list of accounts takes, by what the state knows of its
 * length, and how often it happens.
 */
import type { Endpoint } from "../../api/endpoint.ts";
import { ENDPOINTS } from "../../api/endpoints/index.ts";
import type { WatchState } from "../../model/watch-store.ts";
import type { Watch } from "../../model/watch.ts";
import type { Poll } from "../poll.ts";
import { MEMBERS_PER_PAGE, memberCountOf, readSoFar, wholeReadEveryMs } from "./whole-reads.ts";

const DAY_MS = 86_400_000;

/** Whether a poll is one whose list is read whole, be it once a day. */
export const readsWholeList = (poll: Poll): boolean =>
  poll.detector === "roster" && cursorOf(poll) !== undefined;

/**
 * Whether every poll reads on through the whole list: that of a subscriber that reports who left.
 */
export const isReadByEveryPoll = (poll: Poll): boolean =>
  poll.subscribers.some(({ type: { detection }, watch }) => {
    if (detection.detector !== "roster" || detection.rule === undefined) return false;
    const rule: { readonly mode?: unknown } = detection.rule(watch.settings, { memory: {} });
    return rule.mode === "whole";
  });

/**
 * Requests a day beyond first pages that read a list whole now and then, or with every rarer poll:
 * no poll reads more than `max_pages` of it.
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
 * What the last whole read took; before one, a request a page of the members that the profile
 * counts, or else of those known; 1 for lists that are not read so.
 */
export const fullReadPages = (poll: Poll, states: readonly WatchState[]): number =>
  knownPages(poll, states) ?? 1;

/** Undefined where nothing was read of its list yet. */
export function knownPages(poll: Poll, states: readonly WatchState[]): number | undefined {
  const [subscriber] = poll.subscribers;
  if (!readsWholeList(poll) || subscriber === undefined) return undefined;
  const owner = stateOf(subscriber.watch, states);
  const memory = owner?.targets.find(({ key }) => key === subscriber.targetKey)?.memory ?? {};
  if (typeof memory["pages"] === "number") return memory["pages"];
  const isBeingRead = readSoFar(memory) !== undefined;
  // A list that was read whole and left no number took one page, however long those of other
  // accounts are.
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

/** What the state knows of a watch, under its former id too. */
export const stateOf = (
  watch: Pick<Watch, "id" | "movedFrom">,
  states: readonly WatchState[],
): WatchState | undefined =>
  states.find(({ id }) => id === watch.id) ?? states.find(({ id }) => id === watch.movedFrom);
