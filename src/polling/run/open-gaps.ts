/**
 * How many gaps in covered history wait to be filled, of feeds that are polled by themselves and of those in groups. Owns that count; what
 * a gap is decides detect/.
 */
import { countGaps, readFeedMemory } from "../../detect/feed-memory.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { Poll } from "../watch-poll.ts";

/** By poll key, as each left it. The state is asked once for those that were not polled since: thousands of memories take it a while. */
export async function countOpenGaps(
  polls: readonly Poll[],
  openGaps: Map<string, number>,
  store: Pick<PollStore, "loadSources">,
): Promise<number> {
  const keys = [...new Set(polls.flatMap((poll) => poll.group?.members ?? [poll]).flatMap((poll) => feedKeys(poll)))];
  const unknown = keys.filter((key) => !openGaps.has(key));
  for (const { fingerprint, memory } of unknown.length === 0 ? [] : await store.loadSources(unknown)) {
    // One that was polled meanwhile knows better.
    if (!openGaps.has(fingerprint)) openGaps.set(fingerprint, countGaps(readFeedMemory(memory)));
  }
  return keys.reduce((sum, key) => sum + (openGaps.get(key) ?? 0), 0);
}

const feedKeys = ({ detector, key }: Poll): readonly string[] => (detector === "feed" ? [key] : []);
