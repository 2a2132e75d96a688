/**
 * Finds sent messages whose tweet has changed since they were sent. Queries the state only if the
 * configuration has a sink that edits messages.
 */
import { wantedEdit } from "../detect/tweet-edit.ts";
import type { Clock } from "../model/clock.ts";
import type { EditCause } from "../model/edit-cause.ts";
import type { EditStore, FindEdits, TweetSight } from "../model/edit.ts";
import type { Hash } from "../model/hash.ts";

export interface FindEditsDeps {
  readonly store: Pick<EditStore, "editableAlerts">;
  readonly hash: Hash;
  readonly clock: Clock;
  /**
   * Returns the sinks that edit their messages, by the active configuration, each with the causes
   * for which it does.
   */
  readonly causes: () => ReadonlyMap<string, ReadonlySet<EditCause>>;
}

export function createFindEdits({ store, hash, clock, causes }: FindEditsDeps): FindEdits {
  return async (sights) => {
    const causesOf = causes();
    if (causesOf.size === 0 || sights.length === 0) return [];
    const byTweet = new Map(sights.map((sight) => [idOf(sight), sight]));
    const alerts = await store.editableAlerts([...byTweet.keys()], new Set(causesOf.keys()));
    return alerts.flatMap((alert) => {
      const sight = byTweet.get(alert.shown.tweet.id);
      const own = causesOf.get(alert.sink);
      const wanted =
        sight === undefined || own === undefined
          ? undefined
          : wantedEdit(alert, sight, own, { hash, nowMs: clock.now() });
      return wanted === undefined ? [] : [wanted];
    });
  };
}

const idOf = (sight: TweetSight): string =>
  sight.kind === "seen" ? sight.tweet.id : sight.tweetId;
