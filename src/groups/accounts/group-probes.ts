/**
 * Probes of the members of a group: asks for them, and takes what an answer shows of each, whoever sent it. Owns what a profile does to what
 * is known of an account; whose turn it is, and what is read for a change, is the group's run's.
 */
import type { JsonObject } from "../../model/json.ts";
import type { User } from "../../model/user.ts";
import { type ProbeMemory, probedFields, READS_OF_A_CHANGE, takeProbe } from "../probing/pending-changes.ts";
import { type AskProfilesDeps, createAskProfiles } from "../probing/ask-profiles.ts";
import type { GroupMember } from "../memory/group-members.ts";
import type { AccountMemory, ProbeStates } from "../probing/probe-states.ts";
import type { SeenProfile } from "../../requests/profile-batcher.ts";
import type { Profiles } from "../../requests/profiles.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface GroupProbesDeps extends AskProfilesDeps {
  readonly probeStates: Pick<ProbeStates, "get" | "put">;
  readonly profiles: Pick<Profiles, "ask" | "recent">;
  /** An account that could not be read is there again. */
  readonly release: (pollKey: string) => void;
}

export interface GroupProbes {
  /** `refused`: the service refuses such requests, or did so minutes ago; `suspicious`: it shows none of the accounts, which are asked for again in their turn. */
  probe(group: Poll, asked: readonly GroupMember[]): Promise<"seen" | "suspicious" | "refused">;
  /** Takes what was seen of a member; whether it has to be read for that. */
  applyProbe(member: GroupMember, seen: SeenProfile): boolean;
  /** Whether that was seen after the account was last asked for. */
  isNewer(account: AccountMemory, seen: Pick<SeenProfile, "atMs">): boolean;
  /** Accounts are looked up by their handles first: the same answer is their first probe. */
  isSeenJustNow(member: GroupMember): boolean;
  /** What others asked for since an account was last probed: a probe that costs nothing. */
  isSeenByOthers(member: GroupMember): boolean;
  /** A search asks for accounts by their handles: what others saw under another one is a probe, too. */
  takeNewHandle(member: GroupMember): void;
}

/** An answer this old still says how an account is. */
const JUST_NOW_MS = 60_000;

export function createGroupProbes(deps: GroupProbesDeps): GroupProbes {
  const { probeStates, clock } = deps;
  const ask = createAskProfiles(deps);

  const probe = async (group: Poll, asked: readonly GroupMember[]): Promise<"seen" | "suspicious" | "refused"> => {
    const wasShown = ({ userId }: GroupMember) => (probeStates.get(userId)?.probe.fields ?? null) !== null;
    const answer = await ask(
      group,
      asked.map((member) => ({ userId: member.userId, wasShown: wasShown(member) })),
    );
    if (answer.kind === "refused") return "refused";
    for (const member of asked) {
      if (answer.kind === "suspicious" && wasShown(member)) takeTurn(member);
      else applyProbe(member, answer.seenOf(member.userId));
    }
    return answer.kind;
  };

  /** It was asked for, and nothing was learned of it. */
  const takeTurn = ({ userId }: GroupMember) => {
    const account = probeStates.get(userId);
    if (account !== undefined) probeStates.put(userId, { ...account, checkedAtMs: clock.now() }, "stop");
  };

  const applyProbe = ({ poll, userId }: GroupMember, { user, atMs }: SeenProfile): boolean => {
    const fields = probedFields(user, poll.subscribers[0]?.type.probeFields ?? []);
    const known = probeStates.get(userId);
    if (known?.probe.fields === null && fields !== null) deps.release(poll.key);
    const probed = known === undefined ? unknownAccount(fields, atMs) : takeProbe(known.probe, fields, atMs);
    const handle = user?.username ?? known?.handle ?? "";
    const rate = known?.rate ?? { posts: 0, days: 0, excited: 0, atMs };
    const isNews = known === undefined || probed.open !== known.probe.open || probed.ahead !== known.probe.ahead;
    const worth = isNews ? "now" : handle === known.handle ? "stop" : "later";
    const checkedAtMs = Math.max(atMs, Math.min(known?.checkedAtMs ?? 0, clock.now()));
    probeStates.put(userId, { ...known, probe: probed, rate, handle, checkedAtMs }, worth);
    return isNews;
  };

  const isSeenJustNow = (member: GroupMember): boolean => {
    const seen = deps.profiles.recent(member.userId, JUST_NOW_MS);
    if (seen !== undefined) applyProbe(member, seen);
    return seen !== undefined;
  };

  const isSeenByOthers = (member: GroupMember): boolean => {
    const account = probeStates.get(member.userId);
    const seen = account === undefined ? undefined : deps.profiles.recent(member.userId, clock.now() - account.checkedAtMs);
    if (account === undefined || seen === undefined || !isNewer(account, seen)) return false;
    applyProbe(member, seen);
    return true;
  };

  const isNewer = ({ checkedAtMs }: AccountMemory, { atMs }: Pick<SeenProfile, "atMs">): boolean =>
    atMs > checkedAtMs && atMs <= clock.now();

  const takeNewHandle = (member: GroupMember): void => {
    const account = probeStates.get(member.userId);
    const seen = deps.profiles.recent(member.userId, clock.now() - (account?.probe.probedAtMs ?? clock.now()));
    if (account !== undefined && seen !== undefined && hasNewHandle(account, seen, clock.now())) applyProbe(member, seen);
  };

  return { probe, applyProbe, isNewer, isSeenJustNow, isSeenByOthers, takeNewHandle };
}

const hasNewHandle = ({ probe, handle }: AccountMemory, { user, atMs }: { user: User; atMs: number }, nowMs: number): boolean =>
  user.username !== handle && atMs > probe.probedAtMs && atMs <= nowMs;

/** The last one of plan/'s reads of a change: it is not repeated. */
const LAST_READ = READS_OF_A_CHANGE - 1;

/** Never probed: whatever happened since it was last read is looked for once, on its timeline. */
const unknownAccount = (fields: ProbeMemory["fields"], atMs: number): ProbeMemory => ({
  fields: fields as JsonObject | null,
  probedAtMs: atMs,
  fullAtMs: atMs,
  open: { sinceMs: 0, owed: null, reads: LAST_READ, dueMs: atMs },
});
