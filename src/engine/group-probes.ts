/**
 * Probes of the members of a group: asks for them, and takes what an answer shows of each, whoever sent it. Owns what a profile does to what
 * is known of an account; whose turn it is, and what is read for a change, is the group's run's.
 */
import type { Clock } from "../model/clock.ts";
import type { JsonObject } from "../model/json.ts";
import type { Log } from "../model/log.ts";
import { isRefusal } from "../model/upstream.ts";
import type { User } from "../model/user.ts";
import { isBlindProbe, type ProbeMemory, probedFields, READS_OF_A_CHANGE, takeProbe } from "../plan/discharge.ts";
import { askerOf } from "./ask.ts";
import type { GroupMember } from "./group-members.ts";
import type { AccountMemory, ProbeBook } from "./probe-book.ts";
import { createPatience } from "./patience.ts";
import { hardlyOldMs, type SeenProfile } from "./probe-desk.ts";
import type { Profiles } from "./profiles.ts";
import type { Poll } from "./watch-poll.ts";

export interface GroupProbesDeps {
  readonly book: Pick<ProbeBook, "get" | "put">;
  readonly profiles: Pick<Profiles, "ask" | "recent">;
  readonly clock: Clock;
  readonly log: Log;
  /** An account that could not be read is there again. */
  readonly release: (pollKey: string) => void;
}

export interface GroupProbes {
  /** `refused`: the service refuses such requests, or did so minutes ago; `blind`: it shows none of the accounts, which are asked for again in their turn. */
  probe(group: Poll, asked: readonly GroupMember[]): Promise<"seen" | "blind" | "refused">;
  /** Takes what was seen of a member; whether it has to be read for that. */
  notice(member: GroupMember, seen: SeenProfile): boolean;
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
/** Such a request is sent again so soon, however long they have been refused. */
const PROBE_AGAIN_MS = 900_000;

export function createGroupProbes(deps: GroupProbesDeps): GroupProbes {
  const { book, clock } = deps;
  const patience = createPatience(clock);
  /** By group: where the service refuses its probes; monotonic. */
  const heldUntilMs = new Map<string, number>();

  const probe = async (group: Poll, asked: readonly GroupMember[]): Promise<"seen" | "blind" | "refused"> => {
    if ((heldUntilMs.get(group.key) ?? 0) > clock.monotonic()) return "refused";
    const userIds = asked.map(({ userId }) => userId);
    try {
      const seen = await deps.profiles.ask(askerOf(group, "poll"), userIds, hardlyOldMs(group.intervalMs));
      const wasShown = ({ userId }: GroupMember) => (book.get(userId)?.probe.fields ?? null) !== null;
      const isBlind = isBlindProbe(asked.map((one) => ({ before: wasShown(one), now: seen.get(one.userId)?.user !== undefined })));
      for (const member of asked) {
        if (isBlind && wasShown(member)) takeTurn(member);
        else notice(member, seen.get(member.userId) ?? { user: undefined, atMs: clock.now() });
      }
      if (isBlind) deps.log.warn("no account was in the answer to a probe, which is taken for none", { accounts: asked.length });
      return isBlind ? "blind" : "seen";
    } catch (error) {
      if (!isRefusal(error)) throw error;
      heldUntilMs.set(group.key, clock.monotonic() + patience.holdMs(group, PROBE_AGAIN_MS));
      deps.log.warn("accounts could not be probed, searching for their posts instead", { error: error.message });
      return "refused";
    }
  };

  /** It was asked for, and nothing was learned of it. */
  const takeTurn = ({ userId }: GroupMember) => {
    const account = book.get(userId);
    if (account !== undefined) book.put(userId, { ...account, checkedAtMs: clock.now() }, "nothing");
  };

  const notice = ({ poll, userId }: GroupMember, { user, atMs }: SeenProfile): boolean => {
    const fields = probedFields(user, poll.subscribers[0]?.type.probeFields ?? []);
    const known = book.get(userId);
    if (known?.probe.fields === null && fields !== null) deps.release(poll.key);
    const probed = known === undefined ? unknownAccount(fields, atMs) : takeProbe(known.probe, fields, atMs);
    const handle = user?.username ?? known?.handle ?? "";
    const rate = known?.rate ?? { posts: 0, days: 0, excited: 0, atMs };
    const isNews = known === undefined || probed.open !== known.probe.open || probed.ahead !== known.probe.ahead;
    const worth = isNews ? "now" : handle === known.handle ? "nothing" : "later";
    const checkedAtMs = Math.max(atMs, Math.min(known?.checkedAtMs ?? 0, clock.now()));
    book.put(userId, { ...known, probe: probed, rate, handle, checkedAtMs }, worth);
    return isNews;
  };

  const isSeenJustNow = (member: GroupMember): boolean => {
    const seen = deps.profiles.recent(member.userId, JUST_NOW_MS);
    if (seen !== undefined) notice(member, seen);
    return seen !== undefined;
  };

  const isSeenByOthers = (member: GroupMember): boolean => {
    const account = book.get(member.userId);
    const seen = account === undefined ? undefined : deps.profiles.recent(member.userId, clock.now() - account.checkedAtMs);
    if (account === undefined || seen === undefined || !isNewer(account, seen)) return false;
    notice(member, seen);
    return true;
  };

  const isNewer = ({ checkedAtMs }: AccountMemory, { atMs }: Pick<SeenProfile, "atMs">): boolean =>
    atMs > checkedAtMs && atMs <= clock.now();

  const takeNewHandle = (member: GroupMember): void => {
    const account = book.get(member.userId);
    const seen = deps.profiles.recent(member.userId, clock.now() - (account?.probe.probedAtMs ?? clock.now()));
    if (account !== undefined && seen !== undefined && hasNewHandle(account, seen, clock.now())) notice(member, seen);
  };

  return { probe, notice, isNewer, isSeenJustNow, isSeenByOthers, takeNewHandle };
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
