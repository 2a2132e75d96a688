/**
 * Faults that act during a period: each changes the world or the answers from the moment it is
 * switched on until it ends. faults.ts decides when a fault ends and which requests it affects.
 */
import { timeOfTweetId } from "../../model/id.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Answer, Call } from "../calls/call.ts";
import { inject } from "../orders/inject.ts";
import type { SandboxClock } from "../calls/sandbox-clock.ts";
import { badRequest, notFound } from "../calls/service-error.ts";
import { namedUser, tweetIdOf } from "../calls/subjects.ts";
import { type AccountState, showInstead } from "../world/people/account-state.ts";
import type { World } from "../world/world.ts";
import { bareNumberCursor, itemsOf, onList, withCursor } from "./change-answer.ts";

/** What a fault receives when it is switched on. */
export interface Scene {
  readonly world: World;
  readonly clock: SandboxClock;
  readonly nowMs: number;
  /** How long the fault lasts, in ms; Infinity if it lasts until it is switched off. */
  readonly lastsMs: number;
  /** The handle of the account that the fault changes, for faults that change one. */
  readonly username: string;
  readonly text: string;
}

export interface Lasting {
  /** Called before each request, for a fault that changes over time. */
  readonly tick?: (nowMs: number) => void;
  readonly change?: (call: Call, answer: Answer) => Answer;
  readonly end?: () => void;
}

/**
 * Returns a text that identifies the list that a request reads. It is the same for all pages of the
 * list.
 */
const listAsked = (call: Call): string =>
  JSON.stringify([call.endpoint, call.params.withoutCursor()]);

/**
 * Adds a new item between any two pages. Each page then repeats the last item of the page before,
 * as happens if cursors are offsets.
 */
export function shiftingPages({ world }: Scene): Lasting {
  const last = new Map<string, JsonObject>();
  const change = (call: Call, answer: Answer): Answer => {
    const items = itemsOf(answer);
    const list = listAsked(call);
    const before = call.cursor === undefined ? undefined : last.get(list);
    const youngest = items.at(-1) ?? before;
    if (youngest !== undefined) last.set(list, youngest);
    if (before === undefined) return answer;
    const username = textOf((before["user"] ?? {}) as JsonObject, "username", "screen_name");
    if (username !== "") inject(world, { username, text: textOf(before, "full_text") }, call.nowMs);
    return onList(answer, () => [before, ...items]);
  };
  return { change };
}

/** Returns the first of these fields that contains text; "" if none does. */
const textOf = (item: JsonObject, ...names: readonly string[]): string =>
  names.map((name) => item[name]).find((value) => typeof value === "string") ?? "";

/**
 * Sends the cursor of the first page again with every page from the third on. A client that follows
 * the cursors then reads the same two pages for ever (A, B, A, B).
 */
export function cursorCircle(): Lasting {
  const firsts = new Map<string, string>();
  const change = (call: Call, answer: Answer): Answer => {
    const list = listAsked(call);
    const asked = call.cursor;
    if (asked === undefined) firsts.set(list, textOf(answer.body, "next_cursor"));
    const first = firsts.get(list) ?? "";
    return asked === undefined || asked === first || first === ""
      ? answer
      : withCursor(answer, first);
  };
  return { change };
}

/**
 * Sends the cursors of follower and member lists as JSON numbers, as the real service sometimes
 * does.
 */
export const numberCursors = (): Lasting => ({
  change: (_call, answer) => bareNumberCursor(answer),
});

const idOf = (item: JsonObject): string => textOf(item, "id", "id_str");
const isEven = (id: string): boolean => BigInt(id) % 2n === 0n;

/** Hides some tweets: lists omit them, and requests for a single one are answered with 404. */
function hideTweets(isHidden: (id: string) => boolean): Lasting {
  const change = (call: Call, answer: Answer): Answer => {
    const id = tweetIdOf(call.params.optional("tweet_link") ?? "");
    if (id !== undefined && isHidden(id)) throw notFound("tweet");
    return answer.body["tweets"] === undefined
      ? answer
      : onList(answer, (items) => items.filter((item) => !isHidden(idOf(item))));
  };
  return { change };
}

/**
 * Hides tweets that are created while the fault lasts and have an even id. When the fault ends they
 * appear, although newer tweets were visible before them.
 */
export const lateVisible = ({ nowMs }: Scene): Lasting =>
  hideTweets((id) => isEven(id) && timeOfTweetId(id) >= nowMs);

/**
 * Hides the tweets from before the fault that have an even id. When the fault ends they appear
 * again.
 */
export const deletedAndRestored = ({ nowMs }: Scene): Lasting =>
  hideTweets((id) => isEven(id) && timeOfTweetId(id) < nowMs);

/**
 * Adds two tweets of the same millisecond, whose ids differ only in digits that JavaScript numbers
 * lose.
 */
export function twinIds({ world, username, text, nowMs }: Scene): Lasting {
  for (const which of ["one", "two"])
    inject(world, { username, text: `${text} (${which})` }, nowMs);
  return {};
}

const FLOOD = 10_000;

/** Adds ten thousand tweets of one account, which span ten seconds. */
export function flood({ world, username, text, nowMs }: Scene): Lasting {
  inject(world, { username, text, count: FLOOD }, nowMs);
  return {};
}

function accountNamed({ world, username }: Scene): {
  readonly key: number;
  readonly state: AccountState;
} {
  const key = world.people.ensure(username);
  const state = world.people.state(key);
  if (state === undefined)
    throw badRequest(`${username} is one of the crowd, who cannot be changed`);
  return { key, state };
}

/** Creates a handle from another one that no account has. */
function freeHandle({ people }: World, username: string, suffix: string): string {
  for (let number = 1; ; number += 1) {
    const tail = number === 1 ? suffix : `${suffix}${number}`;
    const handle = `${username.slice(0, 15 - tail.length)}${tail}`;
    if (people.keyOfHandle(handle) === undefined) return handle;
  }
}

/** Renames the account. No other account gets the old handle. */
export function renamed(scene: Scene): Lasting {
  const { world, clock, nowMs } = scene;
  const { key, state } = accountNamed(scene);
  const before = state.username;
  world.people.rename(key, freeHandle(world, before, "_new"), nowMs);
  return { end: () => world.people.rename(key, before, clock.now()) };
}

/** Renames the account and gives its old handle to a new account, which posts a tweet at once. */
export function handleTakeover(scene: Scene): Lasting {
  const { world, clock, nowMs, text } = scene;
  const { key, state } = accountNamed(scene);
  const before = state.username;
  world.people.rename(key, freeHandle(world, before, "_old"), nowMs);
  const other = world.people.ensure(before);
  inject(world, { username: before, text }, nowMs);
  const end = () => {
    world.people.rename(other, freeHandle(world, before, "_2"), clock.now());
    world.people.rename(key, before, clock.now());
  };
  return { end };
}

export function protectedAccount(scene: Scene): Lasting {
  const { state } = accountNamed(scene);
  state.protected = true;
  return { end: () => void (state.protected = false) };
}

const FOLLOWER_LISTS: ReadonlySet<string> = new Set([
  "followers",
  "verified-followers",
  "new-followers-7d",
]);

/**
 * Suspends the account for the first half of the fault's duration. For the second half the account
 * is back, but has no followers.
 */
export function backWithoutFollowers(scene: Scene): Lasting {
  const { key, state } = accountNamed(scene);
  const backMs = scene.nowMs + scene.lastsMs / 2;
  const tick = (nowMs: number) => {
    state.suspended = nowMs < backMs;
    showInstead(state, { followers_count: 0 });
  };
  tick(scene.nowMs);
  const end = () => {
    state.suspended = false;
    showInstead(state, { followers_count: null });
  };
  const change = (call: Call, answer: Answer): Answer =>
    FOLLOWER_LISTS.has(call.endpoint) && namedUser(call) === key
      ? { body: { ...answer.body, users: [] } }
      : answer;
  return { tick, end, change };
}

/** Removes the older half of the lists of the last 7 days until the fault ends. */
export function windowSlides(): Lasting {
  const change = (call: Call, answer: Answer): Answer =>
    call.endpoint.endsWith("-7d")
      ? onList(answer, (items) => items.slice(0, Math.ceil(items.length / 2)))
      : answer;
  return { change };
}

const SKEW_MS = 5 * 3_600_000;

/**
 * Sets the service's clock five hours ahead. This affects its Date header, the times and ids of new
 * tweets, and the lists of the last 7 days.
 */
export function clockAhead({ clock }: Scene): Lasting {
  clock.skew(SKEW_MS);
  return { end: () => clock.skew(-SKEW_MS) };
}
