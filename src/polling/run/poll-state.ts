/** A poll with what the state has on it: its source, its subscribers and their targets. */
import type { PollStore, SourceState } from "../../model/poll-store.ts";
import type { WatchStore } from "../../model/watch-store.ts";
import { type LoadedPoll, loadSubscribers } from "../evaluate/load-subscribers.ts";
import type { Poll } from "../watch-poll.ts";

export interface PollState extends LoadedPoll {
  readonly source: SourceState;
}

export async function loadPoll(store: Pick<PollStore, "loadSources"> & Pick<WatchStore, "loadTargets">, poll: Poll): Promise<PollState> {
  const [source] = await store.loadSources([poll.key]);
  if (source === undefined) throw new Error("the store gave no source");
  return { source, ...(await loadSubscribers(store, poll)) };
}
