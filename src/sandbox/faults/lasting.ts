/**
 * Faults that hold for a while: what happens to the world or to every answer from the moment they
 * are switched on until they end. When each ends, and which strikes whom, is faults.ts's.
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
import { bareNumberCursor, itemsOf, onList, withCursor } from "./spoil.ts";

/** What a fault finds when it is switched on. */
export interface Scene {
  readonly world: World;
  readonly clock: SandboxClock;
  readonly nowMs: number;
  /** Infinity: until it is switched off. */
  readonly lastsMs: number;
  /** Whom it is about, where it is about an account. */
  readonly username: string;
  readonly text: string;
}

export interface Lasting {
  /** Called before each request. */
  readonly tick?: (nowMs: number) => void;
  readonly spoil?: (call: Call, answer: Answer) => Answer;
  readonly end?: () => void;
}

/** The list a request is about, the same for all its pages. */
const listAsked = (call: Call): string =>
  JSON.stringify([call.endpoint, call.params.withoutCursor()]);

/**
 * An item comes in between any two pages, as cursors that are offsets do: each page repeats the
 * last item of the one before.
 */
export function shiftingPages({ world }: Scene): Lasting {
  const last = new Map<string, JsonObject>();
  const spoil = (call: Call, answer: Answer): Answer => {
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
  return { spoil };
}

/** The first of these fields that holds text; "" when none does. */
const textOf = (item: JsonObject, ...names: readonly string[]): string =>
  names.map((name) => item[name]).find((value) => typeof value === "string") ?? "";

/**
 * The cursor of the first page comes back on every page but the one it leads to: A, B, A, B, for
 * ever.
 */
export function cursorCircle(): Lasting {
  const firsts = new Map<string, string>();
  const spoil = (call: Call, answer: Answer): Answer => {
    const list = listAsked(call);
    const asked = call.cursor;
    if (asked === undefined) firsts.set(list, textOf(answer.body, "next_cursor"));
    const first = firsts.get(list) ?? "";
    return asked === undefined || asked === first || first === ""
      ? answer
      : withCursor(answer, first);
  };
  return { spoil };
}

/**
 * The cursors of follower and member lists come as numbers, as the service has been seen to send
 * them.
 */
export const numberCursors = (): Lasting => ({
  spoil: (_call, answer) => bareNumberCursor(answer),
});

const idOf = (item: JsonObject): string => textOf(item, "id", "id_str");
const isEven = (id: string): boolean => BigInt(id) % 2n === 0n;

/** As if these tweets did not exist: not in lists, and 404 alone. */
function hideTweets(isHidden: (id: string) => boolean): Lasting {
  const spoil = (call: Call, answer: Answer): Answer => {
    const id = tweetIdOf(call.params.optional("tweet_link") ?? "");
    if (id !== undefined && isHidden(id)) throw notFound("tweet");
    return answer.body["tweets"] === undefined
      ? answer
      : onList(answer, (items) => items.filter((item) => !isHidden(idOf(item))));
  };
  return { spoil };
}

/**
 * Of the tweets created meanwhile, those with an even id are seen only when it ends: then they are
 * older than others seen before.
 */
export const lateVisible = ({ nowMs }: Scene): Lasting =>
  hideTweets((id) => isEven(id) && timeOfTweetId(id) >= nowMs);

/** The older tweets with an even id are gone, and back when it ends. */
export const deletedAndRestored = ({ nowMs }: Scene): Lasting =>
  hideTweets((id) => isEven(id) && timeOfTweetId(id) < nowMs);

/** Two tweets of one millisecond: numbers of JavaScript cannot distinguish their ids. */
export function twinIds({ world, username, text, nowMs }: Scene): Lasting {
  for (const which of ["one", "two"])
    inject(world, { username, text: `${text} (${which})` }, nowMs);
  return {};
}

const FLOOD = 10_000;

/** Ten thousand tweets of one account within ten seconds. */
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

/** A handle that nobody has, made from another one. */
function freeHandle({ people }: World, username: string, suffix: string): string {
  for (let number = 1; ; number += 1) {
    const tail = number === 1 ? suffix : `${suffix}${number}`;
    const handle = `${username.slice(0, 15 - tail.length)}${tail}`;
    if (people.keyOfHandle(handle) === undefined) return handle;
  }
}

/** The account has another handle, and nobody has the old one. */
export function renamed(scene: Scene): Lasting {
  const { world, clock, nowMs } = scene;
  const { key, state } = accountNamed(scene);
  const before = state.username;
  world.people.rename(key, freeHandle(world, before, "_new"), nowMs);
  return { end: () => world.people.rename(key, before, clock.now()) };
}

/** The account has another handle, and somebody else, who posts at once, has the old one. */
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

/** Suspended for the first half of the time; then back, with no follower at all, until it ends. */
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
  const spoil = (call: Call, answer: Answer): Answer =>
    FOLLOWER_LISTS.has(call.endpoint) && namedUser(call) === key
      ? { body: { ...answer.body, users: [] } }
      : answer;
  return { tick, end, spoil };
}

/** The older half of the 7-day lists has left the window, and is in it again when it ends. */
export function windowSlides(): Lasting {
  const spoil = (call: Call, answer: Answer): Answer =>
    call.endpoint.endsWith("-7d")
      ? onList(answer, (items) => items.slice(0, Math.ceil(items.length / 2)))
      : answer;
  return { spoil };
}

const SKEW_MS = 5 * 3_600_000;

/**
 * All that the service dates is five hours ahead: its Date header, new tweets and their ids, its
 * windows.
 */
export function clockAhead({ clock }: Scene): Lasting {
  clock.skew(SKEW_MS);
  return { end: () => clock.skew(-SKEW_MS) };
}
