/**
 * Draws what happens in the world: who posts what and when, how late it is visible, and whether it
 * is deleted.
 */
import {
  ARTICLE_POST,
  AUTHORS,
  COMMUNITY_ID,
  COUNTED_POSTS,
  LANGUAGES,
  LIST_ID,
  ODD_TEXTS,
  ROOT_POSTS,
  WATCHED,
  WORDS,
} from "./cast.ts";
import type { Dice } from "./dice.ts";
import type { WorldOrder } from "./scenario.ts";

const HOUR_MS = 3_600_000;

/** Draws the people, places and posts that existed before the daemon. */
export function drawBefore(dice: Dice): readonly WorldOrder[] {
  const handles = AUTHORS.map(
    (handle): WorldOrder => ({ do: "account", atMs: -30 * 24 * HOUR_MS, handle, change: {} }),
  );
  const places: readonly WorldOrder[] = [
    { do: "list", atMs: 0, id: LIST_ID, members: [...dice.some(WATCHED, 1)] },
    {
      do: "community",
      atMs: 0,
      id: COMMUNITY_ID,
      name: "Builders",
      members: [...dice.some(AUTHORS, 2)],
    },
  ];
  const roots = [...ROOT_POSTS, ...COUNTED_POSTS, ARTICLE_POST].map(
    (name, n): WorldOrder => ({
      do: "post",
      atMs: -(48 - n) * HOUR_MS,
      name,
      by: "anna0",
      text: `The root ${n} tkroot${n}`,
      kind: "post",
    }),
  );
  const old = Array.from(
    { length: dice.pick([0, 3, 12, 40]) },
    (_, n) => dice.int(1, 20 * 60) * 60_000 + n,
  );
  const posts = [...old]
    .sort((a, b) => b - a)
    .map((agoMs, n) => drawPost(dice, `old${n}`, -agoMs, []));
  return [...handles, ...places, ...roots, ...posts];
}

/** Draws posts within the busy time, some of them deleted, in the order of their times. */
export function drawPosts(dice: Dice, busyMs: number): readonly WorldOrder[] {
  const most = dice.pick([20, 60, 120, 200]);
  const times: number[] = [];
  const isBursty = dice.likes("bursts");
  while (times.length < most) {
    const atMs = dice.int(1_000, busyMs - 1_000);
    const count = isBursty && dice.chance(0.2) ? dice.int(5, 45) : 1;
    for (let n = 0; n < count; n += 1) times.push(Math.min(busyMs, atMs + n * dice.int(0, 900)));
  }
  const sorted: WorldOrder[] = [];
  // A repost of a repost is about the original post.
  const known: string[] = [];
  for (const [n, atMs] of times.sort((a, b) => a - b).entries()) {
    const post = drawPost(dice, `p${n}`, atMs, known.slice(-5));
    sorted.push(post);
    if (post.do === "post" && post.kind !== "retweet") known.push(post.name);
  }
  return [
    ...sorted,
    ...drawTakenBack(dice, sorted, busyMs),
    ...drawEdits(dice, sorted, busyMs),
  ].sort(byTime);
}

function drawPost(dice: Dice, name: string, atMs: number, known: readonly string[]): WorldOrder {
  const by = dice.pick(AUTHORS);
  const kind = dice.pick(["post", "post", "post", "post", "reply", "quote", "retweet"] as const);
  const of = known.length > 0 && dice.chance(0.4) ? dice.pick(known) : dice.pick(ROOT_POSTS);
  const words = dice.shuffled(WORDS).slice(0, dice.int(0, 4));
  const mentioned = dice.chance(0.5) ? "boris1" : dice.pick(WATCHED);
  const extras = [
    dice.chance(0.2) ? "#launch" : "",
    dice.chance(0.3) ? `@${mentioned}` : "",
    dice.chance(0.05) ? "giveaway" : "",
  ];
  // Words that watches look for or ignore, as parts of other words.
  if (dice.chance(0.1)) extras.push(dice.pick(["deltawing", "giveaways", "subacme", "bolt_on"]));
  const text = [...words, ...extras, dice.pick(ODD_TEXTS), `tk${name}`]
    .filter((part) => part !== "")
    .join(" ");
  return {
    ...{ do: "post", atMs, name, by, text, kind, lang: dice.pick(LANGUAGES) },
    ...(kind === "post" ? {} : { of }),
    ...(kind === "post" && dice.chance(0.5) ? { community: COMMUNITY_ID } : {}),
    ...(dice.likes("late") && atMs > 0
      ? { lateMs: dice.pick([2_000, 60_000, 6 * 60_000, 14 * 60_000]) }
      : {}),
  };
}

function drawTakenBack(
  dice: Dice,
  posts: readonly WorldOrder[],
  busyMs: number,
): readonly WorldOrder[] {
  return posts.flatMap((order): readonly WorldOrder[] => {
    if (order.do !== "post" || !dice.likes("taken back") || dice.chance(0.7)) return [];
    const atMs = order.atMs + dice.pick([500, 30_000, 10 * 60_000, HOUR_MS]);
    const backMs = atMs + dice.pick([60_000, 20 * 60_000]);
    const isBack = dice.chance(0.4) && backMs < busyMs;
    const removed: WorldOrder = { do: "remove", atMs: Math.min(atMs, busyMs), post: order.name };
    return isBack ? [removed, { do: "restore", atMs: backMs, post: order.name }] : [removed];
  });
}

/** Draws edits. The text that they append changes the result of no query and no condition. */
function drawEdits(
  dice: Dice,
  posts: readonly WorldOrder[],
  busyMs: number,
): readonly WorldOrder[] {
  if (!dice.likes("edits")) return [];
  return posts.flatMap((order): readonly WorldOrder[] => {
    if (order.do !== "post" || order.kind === "retweet" || dice.chance(0.7)) return [];
    const first = order.atMs + dice.pick([20_000, 4 * 60_000, 15 * 60_000, HOUR_MS]);
    const times = dice.chance(0.3) ? [first, first + dice.pick([1_000, 12 * 60_000])] : [first];
    return times
      .filter((atMs) => atMs < busyMs)
      .map(
        (atMs, n): WorldOrder => ({
          do: "edit",
          atMs,
          post: order.name,
          text: `${order.text} edit${n + 1}`,
        }),
      );
  });
}

export const byTime = (a: { readonly atMs: number }, b: { readonly atMs: number }): number =>
  a.atMs - b.atMs;
