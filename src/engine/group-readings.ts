/** Polls of profiles that join a group: run with it, and left alone for as long as a failure says. What they read is the probe of their accounts. */
import type { Clock } from "../model/clock.ts";
import type { RunMember } from "./run-member.ts";
import type { Poll } from "./watch-poll.ts";

export interface GroupReadings {
  /** Never rejects: a poll that fails is dealt with like any other. */
  run(group: Poll): Promise<void>;
}

export function createGroupReadings({ runOne, clock }: Pick<RunMember, "runOne"> & { readonly clock: Clock }): GroupReadings {
  const heldUntilMs = new Map<string, number>();

  const runReading = async (poll: Poll): Promise<void> => {
    if ((heldUntilMs.get(poll.key) ?? 0) > clock.now()) return;
    const { aftermath } = await runOne(poll);
    heldUntilMs.set(poll.key, Math.max(aftermath.retryAtMs ?? 0, aftermath.notBeforeMs ?? 0));
  };

  return {
    async run({ group }) {
      await Promise.all((group?.readings ?? []).map(runReading));
    },
  };
}
