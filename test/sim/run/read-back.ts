/**
 * Plays the part of `chirpwatch backfill` that runs in its own process beside the daemon: it stores
 * what it has read in the state, and asks the daemon for the alerts.
 */
import { fingerprintOf } from "../../../src/model/source.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import type { OpenedStore } from "../../../src/state/open.ts";
import { makeTweet } from "../../support/make-event.ts";
import type { Step } from "../draw/scenario.ts";
import type { WorldHistory } from "./world-history.ts";

/** The period that is read back. */
const SINCE_MS = 24 * 3_600_000;

export interface ReadBackDeps {
  readonly world: WorldHistory;
  readonly store: Pick<OpenedStore, "saveBackfillPage"> | undefined;
  readonly nowMs: number;
}

/**
 * Stores what a backfill has read. @returns the path of the daemon's API that turns it into alerts
 */
export async function readBack(
  { watch, query, posts }: Step & { readonly do: "backfill" },
  { world, store, nowMs }: ReadBackDeps,
): Promise<string> {
  const found = world.tweets().filter(({ name }) => posts.includes(name));
  await store?.saveBackfillPage({
    fingerprint: fingerprintOf(sha256, {
      endpoint: "search-tweets",
      params: { query, order: "latest" },
    }),
    read: { reachedMs: nowMs - SINCE_MS, hasEnded: true },
    tweets: found.map(({ id, text, postedMs }) => ({
      ...makeTweet(id, text),
      created_at: new Date(postedMs).toISOString(),
    })),
    atMs: nowMs,
    isFirst: true,
  });
  return `/api/v1/backfill?watch=${watch}&since=${new Date(nowMs - SINCE_MS).toISOString()}&by=alice`;
}
