/** Draws what changes in the world beside posts: who follows whom, who joins and leaves, what profiles, scores and posts come to. */
import { COUNTED_POSTS, FAN_COMMUNITY_ID, FAN_LIST_ID, FANS, WATCHED } from "./cast.ts";
import type { Dice } from "./dice.ts";
import type { WorldOrder } from "./scenario.ts";

const HOUR_MS = 3_600_000;

/** As it was before the daemon came. */
export function drawFactsBefore(dice: Dice): readonly WorldOrder[] {
  const follows = WATCHED.flatMap((handle) => [
    ...dice.some(FANS, 0).map((who): WorldOrder => ({ do: "follow", atMs: -HOUR_MS, who, whom: handle })),
    ...dice.some(FANS, 0).map((whom): WorldOrder => ({ do: "follow", atMs: -HOUR_MS, who: handle, whom })),
  ]);
  return [
    ...FANS.map((handle): WorldOrder => ({ do: "account", atMs: -HOUR_MS, handle, change: {} })),
    ...follows,
    { do: "list", atMs: -HOUR_MS, id: FAN_LIST_ID, members: [...dice.some(FANS, 1)] },
    { do: "community", atMs: -HOUR_MS, id: FAN_COMMUNITY_ID, name: "Fans", members: [...dice.some(FANS, 1)] },
    ...WATCHED.flatMap((handle): readonly WorldOrder[] => [
      { do: "account", atMs: -HOUR_MS, handle, change: { display_name: "As ever", description: "Nothing new", favourites_count: 900 } },
      { do: "score", atMs: -HOUR_MS, handle, change: { score: 900, week_delta: 0, month_delta: 0 } },
    ]),
    ...COUNTED_POSTS.map((post): WorldOrder => ({ do: "count", atMs: -HOUR_MS, post, change: { likes_count: 5, view_count: 500 } })),
  ];
}

/** Some of it happens at once, and back and forth. */
export function drawFacts(dice: Dice, busyMs: number): readonly WorldOrder[] {
  const count = dice.pick([0, 10, 30, 60]);
  return Array.from({ length: count }, () => drawFact(dice, dice.int(1_000, busyMs - 1_000)));
}

function drawFact(dice: Dice, atMs: number): WorldOrder {
  const [fan, handle] = [dice.pick(FANS), dice.pick(WATCHED)];
  const isIn = dice.chance(0.5);
  switch (dice.int(0, 5)) {
    case 0:
      return { do: isIn ? "follow" : "unfollow", atMs, who: fan, whom: handle };
    case 1:
      return { do: isIn ? "follow" : "unfollow", atMs, who: handle, whom: fan };
    case 2:
      return { do: "member", atMs, group: dice.pick([FAN_LIST_ID, FAN_COMMUNITY_ID]), handle: fan, isIn };
    case 3:
      return {
        do: "score",
        atMs,
        handle,
        change: { [dice.pick(["score", "week_delta"])]: dice.pick([0, 20, 30, 900, 990, 1_000, 1_100]) },
      };
    case 4:
      return {
        do: "count",
        atMs,
        post: dice.pick(COUNTED_POSTS),
        change: { [dice.pick(["likes_count", "view_count"])]: dice.pick([5, 9, 10, 12, 1_200]) },
      };
    default:
      return { do: "account", atMs, handle, change: drawProfile(dice) };
  }
}

const drawProfile = (dice: Dice) =>
  dice.pick([
    { display_name: dice.pick(["As ever", "Renewed", "*Bold* <b>"]) },
    { description: dice.pick(["Nothing new", "Hiring", ""]) },
    { location: dice.pick(["Kyiv", "Oslo"]) },
    { favourites_count: dice.pick([900, 990, 1_000, 1_500]) },
  ]);
