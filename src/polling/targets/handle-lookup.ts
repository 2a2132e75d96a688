/**
 * Looks up which account has a handle, and which handle an account has, a hundred per request.
 * Accounts are followed by their id, so that a rename does not interrupt a watch. Watches of some
 * types can only ask the service by handle, so their answers do not show a rename. The handles of
 * their accounts are looked up by id at intervals, which `target-resolver.ts` decides.
 */
import { batchesOf } from "../../model/batch.ts";
import { groupBy } from "../../model/group-by.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { Ports } from "../../model/ports.ts";
import type { User } from "../../model/user.ts";
import type { Watch } from "../../model/watch.ts";
import type { NamedAccountId, TargetState, WatchStore } from "../../model/watch-store.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import type { Profiles } from "../../requests/profiles.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import { remember } from "../evaluate/target-change.ts";
import type { TargetAlerts } from "./target-alerts.ts";

export interface HandleLookupDeps extends Pick<Ports, "clock"> {
  readonly gate: RequestGate;
  readonly store: Pick<WatchStore, "resolveTarget" | "nameAccounts"> &
    Pick<PollStore, "commitPoll">;
  readonly profiles: Profiles;
  readonly targetAlerts: Pick<TargetAlerts, "renamed">;
  /**
   * Called with targets whose id or handle became known or has changed, so that their polls are
   * planned.
   */
  readonly onResolved: (targets: readonly TargetState[]) => void;
  /**
   * Called with accounts that watches name in addition to their targets, once their ids are known.
   */
  readonly onNamed: (accounts: readonly NamedAccountId[]) => void;
}

export interface UnknownHandle {
  readonly watchId: string;
  readonly watchKey: string;
  /** The handle in lower case, without @. */
  readonly handle: string;
  /** The target with this handle; absent if the watch names it in addition to its targets. */
  readonly target?: TargetState;
}

/** A target with a user id, in a watch whose type asks the service by handle. */
export interface AskedByHandle {
  readonly watch: Watch;
  readonly target: TargetState;
}

export const askedByHandle = (watches: readonly PlannedWatch[]): readonly AskedByHandle[] =>
  watches
    .filter(({ type, paused }) => type.needsHandle === true && !paused)
    .flatMap(({ watch, targets }) =>
      targets.filter(({ userId }) => userId !== null).map((target) => ({ watch, target })),
    );

/** Called with handles that the service does not know. */
type OnMissing = (handles: readonly UnknownHandle[]) => Promise<void>;

/** The maximum age of a stored profile from which an account's current handle is taken. */
const JUST_NOW_MS = 600_000;

export class HandleLookup {
  readonly #deps: HandleLookupDeps;

  constructor(deps: HandleLookupDeps) {
    this.#deps = deps;
  }

  /**
   * Finds the ids of these handles. Rejects with the error of the request gate; ids that were found
   * before the error are kept.
   */
  async findIds(unknown: readonly UnknownHandle[], onMissing: OnMissing): Promise<void> {
    const byHandle = groupBy(unknown, ({ handle }) => handle);
    const batches = batchesOf([...byHandle.keys()]);
    await Promise.all(
      batches.map((handles) => {
        const wanted = handles.flatMap((handle) => byHandle.get(handle) ?? []);
        return this.#findBatch(wanted, handles, onMissing);
      }),
    );
  }

  /**
   * Finds the current handles of accounts. An account that is not in the answer keeps its handle.
   * Rejects with the error of the request gate.
   */
  async findHandles(accounts: readonly AskedByHandle[]): Promise<void> {
    const { profiles } = this.#deps;
    const ids = [...new Set(accounts.map(({ target }) => target.userId ?? ""))];
    const lately = (id: string): User | undefined => profiles.recent(id, JUST_NOW_MS)?.user;
    const asked = ids.filter((id) => lately(id) === undefined);
    const purpose = accounts.some(({ target }) => target.username === null) ? "baseline" : "poll";
    const asker = {
      source: `handles:${asked[0] ?? ""}`,
      watch: accounts[0]?.watch.id ?? "",
      priority: "high",
      purpose,
    } as const;
    const seen = await profiles.ask(asker, asked, 0);
    await this.storeHandles(
      accounts,
      ({ userId: id }) => (seen.get(id ?? "")?.user ?? lately(id ?? ""))?.username ?? "",
    );
  }

  /**
   * Stores the handles that have changed. `handleOf` returns the current handle of a target's
   * account; "" if it is not known.
   */
  async storeHandles(
    accounts: readonly AskedByHandle[],
    handleOf: (target: TargetState) => string,
  ): Promise<void> {
    const changed: TargetState[] = [];
    for (const account of accounts) {
      const username = handleOf(account.target);
      if (username !== "" && username !== account.target.username)
        changed.push(await this.#storeHandle(account, username));
    }
    if (changed.length > 0) this.#deps.onResolved(changed);
  }

  async #findBatch(
    wanted: readonly UnknownHandle[],
    handles: readonly string[],
    onMissing: OnMissing,
  ): Promise<void> {
    const { gate, profiles, store, onNamed, onResolved } = this.#deps;
    const asker = {
      source: `resolve:${handles[0] ?? ""}`,
      watch: wanted[0]?.watchId ?? "",
      priority: "high",
      purpose: "baseline",
    } as const;
    const answer = await gate.request({
      ...asker,
      endpoint: "info-batch",
      params: { usernames: handles },
      isSplit: true,
    });
    const users = new Map((answer.users ?? []).map((user) => [user.username.toLowerCase(), user]));
    profiles.learn([...users.values()]);
    const resolved: TargetState[] = [];
    const named: NamedAccountId[] = [];
    const missing: UnknownHandle[] = [];
    for (const one of wanted) {
      const user = users.get(one.handle);
      const { target, watchKey, handle } = one;
      if (user === undefined) missing.push(one);
      else if (target === undefined) named.push({ watchKey, handle, userId: user.id });
      else
        resolved.push(
          await store.resolveTarget(
            { watchKey, targetKey: target.key },
            { userId: user.id, username: user.username },
          ),
        );
    }
    if (named.length > 0) await store.nameAccounts(named);
    if (named.length > 0) onNamed(named);
    if (resolved.length > 0) onResolved(resolved);
    if (missing.length > 0) await onMissing(missing);
  }

  async #storeHandle({ watch, target }: AskedByHandle, username: string): Promise<TargetState> {
    const { store, clock, targetAlerts } = this.#deps;
    const userId = target.userId ?? "";
    const resolved = await store.resolveTarget(
      { watchKey: target.watchKey, targetKey: target.key },
      { userId, username },
    );
    if (target.username === null) return resolved;
    const hint = "Mentions of the new handle since then are read now.";
    await targetAlerts.renamed({
      userId,
      from: target.username,
      to: username,
      isTaken: false,
      hint,
    });
    if (resolved.baselineAtMs === null) return resolved;
    // The moment of the rename is unknown, so tweets with the new handle are read back to the age
    // up to which tweets raise alerts.
    return (
      (await remember(store, resolved, { resume_ms: clock.now() - watch.maxAgeMs }, clock.now())) ??
      resolved
    );
  }
}
