/**
 * Provides the profiles of watched accounts, which are part of an alert. A profile is requested
 * only when an event needs it, and kept for a day.
 */
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { User } from "../model/user.ts";
import { createProfileBatcher, type ProfileBatcher } from "./profile-batcher.ts";
import type { RequestGate } from "./request-gate.ts";
import { RequestHeld } from "./request-held.ts";

export interface Profiles extends ProfileBatcher {
  /**
   * Returns a profile that is at most `maxAgeMs` old (default: a day). If it cannot be requested
   * now, returns an older one that is still kept, or else undefined; the alert is then sent without
   * a profile.
   */
  profileOf(userId: string, watch: string, maxAgeMs?: number): Promise<User | undefined>;
  /**
   * Returns a profile that was requested at most `withinMs` ago, and when that was. Makes no
   * request; undefined if no such profile is kept.
   */
  recent(
    userId: string,
    withinMs: number,
  ): { readonly user: User; readonly atMs: number } | undefined;
  /**
   * Stores profiles from answers to other requests. `atMs` is when they were requested (default:
   * now).
   */
  learn(users: readonly User[], atMs?: number): void;
}

const KEEP_MS = 86_400_000;
const MAX_KEPT = 10_000;

export function createProfiles(gate: RequestGate, clock: Clock, log: Log): Profiles {
  /** The stored profiles by user id, the oldest first. */
  const kept = new Map<string, { user: User; atMs: number }>();
  const learn = (users: readonly User[], atMs = clock.now()) => {
    for (const user of users) {
      kept.delete(user.id);
      kept.set(user.id, { user, atMs });
    }
    for (const [id, oldest] of kept) {
      if (kept.size <= MAX_KEPT && clock.now() - oldest.atMs < KEEP_MS) return;
      kept.delete(id);
    }
  };
  const batcher = createProfileBatcher(gate, clock, learn);
  return {
    ask: (asker, userIds, maxAgeMs) => batcher.ask(asker, userIds, maxAgeMs),
    fillSpareSlots: (accounts) => batcher.fillSpareSlots(accounts),
    learn,
    recent(userId, withinMs) {
      const known = kept.get(userId);
      return known !== undefined && clock.now() - known.atMs <= withinMs ? known : undefined;
    },
    async profileOf(userId, watch, maxAgeMs = KEEP_MS) {
      const known = kept.get(userId);
      if (known !== undefined && clock.now() - known.atMs < maxAgeMs) return known.user;
      try {
        await batcher.ask(
          { source: `profile:${userId}`, watch, priority: "high", purpose: "poll" },
          [userId],
          0,
        );
      } catch (error) {
        // A held request says nothing about the account: its cause is reported elsewhere, or the
        // daemon is stopping.
        if (error instanceof RequestHeld)
          log.debug("profile of a watched account waits", {
            user_id: userId,
            reason: error.reason,
          });
        else log.warn("profile of a watched account could not be read", { user_id: userId, error });
      }
      return kept.get(userId)?.user;
    },
  };
}
