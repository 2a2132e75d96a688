/**
 * Asks the service how long the member lists in a configuration are, for use before the first
 * start, when the state does not know it yet. Reads the lengths from account profiles: each request
 * covers 100 accounts and is billed.
 */
import type { Config } from "../../config/config.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import { batchesOf } from "../../model/batch.ts";
import type { Hash } from "../../model/hash.ts";
import type { User } from "../../model/user.ts";
import type { TargetState, WatchState } from "../../model/watch-store.ts";
import type { Watch } from "../../model/watch.ts";
import { isAssumed } from "../../forecast/forecast.ts";
import { lengthField } from "../../plan/polls/whole-reads.ts";
import { planWatches } from "./configured-polls.ts";
import { watchTypeOf } from "../../watches/registry.ts";

/**
 * An account whose complete member list a watch reads, always or as a fallback. `field` is the
 * field of its profile that counts the members.
 */
export interface ListedAccount {
  readonly watch: Watch;
  readonly target: TargetState;
  readonly field: "followers_count" | "followings_count";
}

export function listedAccounts(
  config: Config,
  hash: Hash,
  states: readonly WatchState[],
): readonly ListedAccount[] {
  return [...planWatches(config, hash, states).values()].flatMap(({ watch, paused, targets }) =>
    paused ? [] : targets.flatMap((target) => listedAccount(watch, target) ?? []),
  );
}

function listedAccount(watch: Watch, target: TargetState): ListedAccount | undefined {
  if (watchTypeOf(watch).detection.detector !== "roster" || target.userId === null)
    return undefined;
  const field = lengthField(
    endpointOf(watch, { ...target, memory: { ...target.memory, mode: "all" } }),
  );
  return field === undefined ? undefined : { watch, target, field };
}

/** Returns the endpoint that a watch reads for a target. */
export const endpointOf = (watch: Watch, target: TargetState): string =>
  watchTypeOf(watch).source(watch.settings, target).endpoint;

export interface AskedLengths {
  /** The profiles by user id and by `@handle` in lower case. */
  readonly users: ReadonlyMap<string, User>;
  readonly requests: number;
  /** Targets that the service does not know, as they are written in the configuration. */
  readonly missing: readonly string[];
}

/** Requests the profiles of the accounts. @throws what the gate throws */
export async function askLengths(
  gate: Pick<RequestGate, "request">,
  listed: readonly ListedAccount[],
): Promise<AskedLengths> {
  const keys = [...new Map(listed.map(({ watch, target }) => [keyOf(target), watch.id]))];
  const users = new Map<string, User>();
  let requests = 0;
  for (const isHandle of [true, false]) {
    for (const batch of batchesOf(keys.filter(([key]) => key.startsWith("@") === isHandle))) {
      const ids = batch.map(([key]) => key.replace(/^@/, ""));
      const answer = await gate.request({
        endpoint: "info-batch",
        params: isHandle ? { usernames: ids } : { user_ids: ids },
        source: `lengths:${ids[0] ?? ""}`,
        watch: batch[0]?.[1] ?? "",
        priority: "high",
        purpose: "command",
        isSplit: true,
      });
      requests += 1;
      for (const user of answer.users ?? [])
        for (const key of [user.id, `@${user.username.toLowerCase()}`]) users.set(key, user);
    }
  }
  const missing = listed
    .filter(({ target }) => !users.has(keyOf(target)))
    .map(({ target }) => target.name);
  return { users, requests, missing: [...new Set(missing)] };
}

/** Returns the user id if it is known, otherwise the handle. */
const keyOf = (target: TargetState): string =>
  isAssumed(target) ? target.key.toLowerCase() : (target.userId ?? target.key);

/**
 * Returns the watch states with the list lengths from the profiles filled in. A watch without a
 * stored state gets an empty one that holds only its list lengths.
 */
export function withLengths(
  states: readonly WatchState[],
  listed: readonly ListedAccount[],
  users: AskedLengths["users"],
): readonly WatchState[] {
  const known = new Map<string, WatchState>();
  for (const { watch, target, field } of listed) {
    const user = users.get(keyOf(target));
    const state =
      known.get(watch.id) ??
      states.find(({ id }) => id === watch.id || id === watch.movedFrom) ??
      blankState(watch);
    const sized =
      user === undefined
        ? target
        : {
            ...target,
            userId: user.id,
            username: user.username,
            memory: { ...target.memory, size: user[field] },
          };
    known.set(watch.id, {
      ...state,
      targets: [...state.targets.filter(({ key }) => key !== target.key), sized],
    });
  }
  const asked = new Set([...known.values()].map(({ id }) => id));
  return [...states.filter(({ id }) => !asked.has(id)), ...known.values()];
}

const blankState = ({ id, type }: Watch): WatchState => ({
  key: id,
  id,
  type,
  registeredAtMs: 0,
  paused: false,
  targets: [],
  knownItems: 0,
  accounts: {},
});
