/** The profiles of the accounts of a group, in as few requests as they fit in: whether they were seen. What they mean is the group's. */
import type { Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import { isRefusal } from "../../model/upstream.ts";
import { isSuspiciousProbe } from "../../requests/suspicious-probe.ts";
import { askerOf } from "../../polling/ask.ts";
import { createRefusalBackoff } from "../../requests/refusal-backoff.ts";
import { hardlyOldMs, type SeenProfile } from "../../requests/profile-batcher.ts";
import type { Profiles } from "../../requests/profiles.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface AskProfilesDeps {
  readonly profiles: Pick<Profiles, "ask">;
  readonly clock: Clock;
  readonly log: Log;
}

export interface AskedAccount {
  readonly userId: string;
  /** By the last probe before. */
  readonly wasShown: boolean;
}

/**
 * - `refused`: the service refuses such requests, or did so minutes ago: it is left alone for a while.
 * - `suspicious`: of all that were shown before, it shows none.
 */
export type AskProfiles = (
  group: Poll,
  asked: readonly AskedAccount[],
) => Promise<{ readonly kind: "refused" } | { readonly kind: "seen" | "suspicious"; readonly seenOf: (userId: string) => SeenProfile }>;

export function createAskProfiles({ profiles, clock, log }: AskProfilesDeps): AskProfiles {
  const backoff = createRefusalBackoff(clock);
  return async (group, asked) => {
    if (backoff.isCoolingDown(group)) return { kind: "refused" };
    try {
      const userIds = [...new Set(asked.map(({ userId }) => userId))];
      const seen = await profiles.ask(askerOf(group, "poll"), userIds, hardlyOldMs(group.intervalMs));
      const isSuspicious = isSuspiciousProbe(
        asked.map(({ userId, wasShown }) => ({ before: wasShown, now: seen.get(userId)?.user !== undefined })),
      );
      if (isSuspicious) log.warn("no account was in the answer to a probe, which is taken for none", { accounts: userIds.length });
      const seenOf = (userId: string) => seen.get(userId) ?? { user: undefined, atMs: clock.now() };
      return { kind: isSuspicious ? "suspicious" : "seen", seenOf };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      backoff.holdMs(group);
      log.warn("accounts could not be probed, reading them all instead", { error: error.message });
      return { kind: "refused" };
    }
  };
}
