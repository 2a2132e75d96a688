/**
 * Profiles of watched accounts, asked for only when an event needs one and kept for a day: they are
 * part of an alert.
 */
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { User } from "../model/user.ts";
import { createProfileBatcher, type ProfileBatcher } from "./profile-batcher.ts";
import type { RequestGate } from "./request-gate.ts";
import { RequestHeld } from "./request-held.ts";

export interface Profiles extends ProfileBatcher {
  /**
   * Not older than `maxAgeMs`, a day unless said. Undefined when the service does not give it now:
   * the alert is sent without it.
   */
  profileOf(userId: string, watch: string, maxAgeMs?: number): Promise<User | undefined>;
  /** A profile that came along with an answer no longer than `withinMs` ago; asks nobody. */
  recent(
    userId: string,
    withinMs: number,
  ): { readonly user: User; readonly atMs: number } | undefined;
  /**
   * Takes profiles that came along with other answers; `atMs`: when these were asked for, now
   * unless said.
   */
  learn(users: readonly User[], atMs?: number): void;
}

const KEEP_MS = 86_400_000;
const MAX_KEPT = 10_000;

export function createProfiles(gate: RequestGate, clock: Clock, log: Log): Profiles {
  /** Those learned longest ago first. */
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
        // Said elsewhere, or the daemon is stopping: no fault of the account's.
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
