/** How many requests the daily whole read of a paged list of accounts takes, by what the state knows of its length. */
import type { Endpoint } from "../api/endpoint.ts";
import { ENDPOINTS } from "../api/endpoints/index.ts";
import type { WatchState } from "../model/store.ts";
import type { Watch } from "../model/watch.ts";
import type { Poll } from "./poll.ts";

/** Whether a poll is one whose list is read whole once a day. */
export const readsWholeList = (poll: Poll): boolean => poll.detector === "roster" && pageSizeOf(poll) !== undefined;

function pageSizeOf(poll: Poll): number | undefined {
  const endpoint: Endpoint | undefined = (ENDPOINTS as Readonly<Record<string, Endpoint>>)[poll.source.endpoint];
  return endpoint?.cursor === undefined ? undefined : endpoint.pageSize;
}

/** One request a page of the members known; 1 for lists that are not read so. */
export function fullReadPages(poll: Poll, states: readonly WatchState[]): number {
  const pageSize = pageSizeOf(poll);
  const [subscriber] = poll.subscribers;
  if (poll.detector !== "roster" || pageSize === undefined || subscriber === undefined) return 1;
  const owner = stateOf(subscriber.watch, states);
  const members = owner === undefined ? 0 : owner.knownItems / Math.max(1, owner.targets.length);
  return Math.max(1, Math.ceil(members / pageSize));
}

/** What the state knows of a watch, under its former id too. */
export const stateOf = (watch: Watch, states: readonly WatchState[]): WatchState | undefined =>
  states.find(({ id }) => id === watch.id) ?? states.find(({ id }) => id === watch.movedFrom);
