/**
 * First reads of members of a group while the quota is at its line. They may use the reserve, as any baseline may; the probe that goes before
 * them, of all members, may not.
 */
import { createCooldowns } from "../../model/backoff.ts";
import type { Clock } from "../../model/clock.ts";
import type { WatchStore } from "../../model/watch-store.ts";
import { cooldownMs } from "../../polling/run/poll-run.ts";
import { sideBySide } from "../../polling/run/side-by-side.ts";
import { RequestHeld } from "../../requests/request-held.ts";
import { isFirstRead } from "../../polling/read/baselines.ts";
import type { RunMember } from "../../polling/run/run-member.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface FirstReadsDeps extends Pick<RunMember, "runOne"> {
  readonly store: Pick<WatchStore, "loadTargets">;
  readonly clock: Clock;
}

export interface FirstReads {
  /** What kept a group from running; reads those of its members that wait for their baseline, if the quota is what it was. */
  afterFailure(group: Poll, error: unknown): Promise<void>;
}

export function createFirstReads({ store, clock, runOne }: FirstReadsDeps): FirstReads {
  const cooldowns = createCooldowns(clock);
  return {
    async afterFailure({ group }, error) {
      if (group === undefined || !(error instanceof RequestHeld) || error.reason !== "quota") return;
      await sideBySide(group.members, async (member) => {
        if (cooldowns.isCoolingDown(member.key) || !isFirstRead(member, await store.loadTargets(member.subscribers))) return;
        cooldowns.begin(member.key, cooldownMs(await runOne(member), clock.now()));
      });
    },
  };
}
