/** Tests followers added by the control API when the crowd has nobody left to send. */
import { expect, test } from "vitest";
import { addFollows } from "../../../src/sandbox/orders/world-orders.ts";
import { createAccount } from "../../../src/sandbox/world/people/accounts.ts";
import { CROWD_SIZE } from "../../../src/sandbox/world/people/crowd.ts";
import { FollowGraph } from "../../../src/sandbox/world/follows/follow-graph.ts";
import { createWorld } from "../../../src/sandbox/world/world.ts";

const START_MS = Date.UTC(2026, 0, 5);
const OPTIONS = { seed: 1, startMs: START_MS } as const;

test("an account that everyone follows already gets no more followers from the crowd, and the answer says so", () => {
  const everyonesFriend = {
    ...createAccount(1, 0),
    followersBefore: CROWD_SIZE,
    followersPerDay: 0,
  };
  const follows = new FollowGraph(
    { count: 1, account: () => everyonesFriend },
    { ...OPTIONS, firstDayMs: START_MS },
  );
  const { people } = createWorld({ ...OPTIONS, accounts: 5 });

  expect(() => addFollows({ people, follows }, { target: "acme", count: 3 }, START_MS)).toThrow(
    "nearly all of the crowd follow acme already: 0 of 3 were added, name a follower for more",
  );
  expect(
    addFollows({ people, follows }, { target: "acme", follower: "bob" }, START_MS),
  ).toMatchObject({
    followers: [{ username: "bob" }],
  });
});

test("an account that is added by hand is called as its handle says", () => {
  const named = (handle: string) => createAccount(1, 300, handle).displayName;
  expect([named("maya_builds"), named("big_fan_1"), named("Zoe"), named("_")]).toEqual([
    "Maya Builds",
    "Big Fan 1",
    "Zoe",
    "_",
  ]);
});
