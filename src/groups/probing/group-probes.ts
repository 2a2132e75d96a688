/**
 * Probes the members of a group: requests their profiles in as few requests as possible, and
 * updates the memory of each account, also from profiles that other callers requested. The run of
 * the group decides which members are probed and what is read after a change.
 */
import type { Clock } from "../../model/clock.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Log } from "../../model/log.ts";
import { isRefusal } from "../../model/upstream.ts";
import { askerOf } from "../../polling/ask.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { reusableAgeMs, type SeenProfile } from "../../requests/profile-batcher.ts";
import type { Profiles } from "../../requests/profiles.ts";
import { createRefusalBackoff, type RefusalBackoff } from "../../requests/refusal-backoff.ts";
import { isSuspiciousProbe } from "../../requests/suspicious-probe.ts";
import type { GroupMember } from "../memory/group-members.ts";
import { type ProbeMemory, probedFields, applyProbe } from "./pending-changes.ts";
import type { AccountMemory, ProbeStates } from "./probe-states.ts";

export interface GroupProbesDeps {
  readonly profiles: Pick<Profiles, "ask" | "recent">;
  readonly probeStates: Pick<ProbeStates, "get" | "put">;
  readonly clock: Clock;
  readonly log: Log;
  /** Creates the memory of an account at its first probe. */
  readonly first: (fields: JsonObject | null, atMs: number) => ProbeMemory;
  /**
   * Ends the cooldown of a poll. Called when an account that could not be read is available again.
   */
  readonly release: (pollKey: string) => void;
}

/**
 * The result of a probe.
 * - `seen`: the answer was used.
 * - `suspicious`: the answer contains none of the accounts that earlier answers contained. It is
 *   ignored, and the accounts are requested again when they are due.
 * - `refused`: the service refuses probes, or it refused one minutes ago and the backoff has not
 *   ended.
 */
export type ProbeAnswer = "seen" | "suspicious" | "refused";

/**
 * The maximum age of a profile from another request that may serve as the first probe of an
 * account.
 */
const JUST_NOW_MS = 60_000;

export class GroupProbes {
  readonly #deps: GroupProbesDeps;
  readonly #backoff: RefusalBackoff;

  constructor(deps: GroupProbesDeps) {
    this.#deps = deps;
    this.#backoff = createRefusalBackoff(deps.clock);
  }

  async probe(group: Poll, asked: readonly GroupMember[]): Promise<ProbeAnswer> {
    const { profiles, clock, log } = this.#deps;
    if (this.#backoff.isCoolingDown(group)) return "refused";
    try {
      const userIds = [...new Set(asked.map(({ userId }) => userId))];
      const seen = await profiles.ask(
        askerOf(group, "poll"),
        userIds,
        reusableAgeMs(group.intervalMs),
      );
      const isSuspicious = isSuspiciousProbe(
        asked.map((member) => ({
          before: this.#wasShown(member),
          now: seen.get(member.userId)?.user !== undefined,
        })),
      );
      if (isSuspicious)
        log.warn("the answer to a probe contained no account and is ignored", {
          accounts: userIds.length,
        });
      for (const member of asked) {
        if (isSuspicious && this.#wasShown(member)) this.#markProbed(member);
        else this.#apply(member, seen.get(member.userId) ?? { user: undefined, atMs: clock.now() });
      }
      return isSuspicious ? "suspicious" : "seen";
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#backoff.recordRefusal(group);
      log.warn("accounts could not be probed, reading them all instead", { error: error.message });
      return "refused";
    }
  }

  /**
   * Uses a profile that another request has shown since the account was last checked as a probe
   * that costs nothing. Returns false if there is no such profile.
   */
  applyRecent(member: GroupMember): boolean {
    const { profiles, probeStates, clock } = this.#deps;
    const account = probeStates.get(member.key);
    const seen = profiles.recent(
      member.userId,
      account === undefined ? JUST_NOW_MS : clock.now() - account.checkedAtMs,
    );
    if (seen === undefined || (account !== undefined && !this.#isNewer(account, seen)))
      return false;
    this.#apply(member, seen);
    return true;
  }

  /**
   * Uses a profile from another request for an account that was probed before. Returns whether the
   * account must be read, because the profile shows a change.
   */
  applyShown(member: GroupMember, seen: SeenProfile): boolean {
    const account = this.#deps.probeStates.get(member.key);
    return account !== undefined && this.#isNewer(account, seen) && this.#apply(member, seen);
  }

  #wasShown({ key }: GroupMember): boolean {
    return (this.#deps.probeStates.get(key)?.probe.fields ?? null) !== null;
  }

  #isNewer({ checkedAtMs }: AccountMemory, { atMs }: SeenProfile): boolean {
    return atMs > checkedAtMs && atMs <= this.#deps.clock.now();
  }

  /** Records that the member was requested although nothing was learned about it. */
  #markProbed({ key }: GroupMember): void {
    const { probeStates, clock } = this.#deps;
    const account = probeStates.get(key);
    if (account !== undefined)
      probeStates.put(key, { ...account, checkedAtMs: clock.now() }, "stop");
  }

  /**
   * Updates the memory of an account from a profile. Returns whether the account must be read,
   * because the profile shows a change.
   */
  #apply({ poll, key }: GroupMember, { user, atMs }: SeenProfile): boolean {
    const { probeStates, clock, first, release } = this.#deps;
    const names = poll.subscribers[0]?.type.probeFields ?? [];
    const fields = probedFields(user, names);
    const known = probeStates.get(key);
    if (known?.probe.fields === null && fields !== null) release(poll.key);
    const probe =
      known === undefined ? first(fields, atMs) : applyProbe(known.probe, fields, atMs, names[0]);
    const handle = user?.username ?? known?.handle ?? "";
    const rate = known?.rate ?? { posts: 0, days: 0, excited: 0, atMs };
    const isNews =
      known === undefined || probe.open !== known.probe.open || probe.ahead !== known.probe.ahead;
    const worth = isNews ? "now" : handle === known.handle ? "stop" : "later";
    const checkedAtMs = Math.max(atMs, Math.min(known?.checkedAtMs ?? 0, clock.now()));
    probeStates.put(key, { ...known, probe, rate, handle, checkedAtMs }, worth);
    return isNews;
  }
}
