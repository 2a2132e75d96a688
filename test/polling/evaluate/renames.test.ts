/** Tests that handles shown by an answer are stored in the commit of its poll. */
import { expect, it } from "vitest";
import type { TargetState } from "../../../src/model/watch-store.ts";
import type { Subscriber } from "../../../src/polling/watch-poll.ts";
import { findRenames, withHandles } from "../../../src/polling/evaluate/renames.ts";
import { makeUser } from "../../support/make-event.ts";

const target = (watchKey: string, userId: string, username: string | null) =>
  ({ watchKey, key: "t", userId, username, revision: 3, memory: {} }) as unknown as TargetState;
const readers = [
  target("a", "1", "one"),
  target("b", "2", null),
  target("c", "3", "three"),
  target("d", "4", "four"),
].map((one) => ({
  subscriber: {} as Subscriber,
  target: one,
}));
const users = new Map(
  [makeUser("1", "uno"), makeUser("2", "two"), makeUser("3", "three"), makeUser("9", "nine")].map(
    (user) => [user.id, user],
  ),
);

it("finds accounts whose handle differs from the stored one, and none that the answer did not show", () => {
  expect(findRenames(readers, users).map(({ from, to }) => [from, to])).toEqual([
    ["one", "uno"],
    [null, "two"],
  ]);
});

it.each([[[]], [["a"]], [["b"]], [["a", "b"]], [["c"]], [["a", "c"]]])(
  "makes one change of a target of a new handle and whatever else changes: %o",
  (changed) => {
    const changes = changed.map((watchKey) => ({
      watchKey,
      targetKey: "t",
      expectedRevision: 3,
      memory: { seen: watchKey },
    }));
    const after = withHandles(changes, findRenames(readers, users));
    const byWatch = new Map(after.map((change) => [change.watchKey, change]));
    expect(byWatch.size).toBe(after.length);
    expect(byWatch.get("a")).toMatchObject({
      username: "uno",
      expectedRevision: 3,
      ...(changed.includes("a") && { memory: { seen: "a" } }),
    });
    expect(byWatch.get("b")).toMatchObject({
      username: "two",
      expectedRevision: 3,
      ...(changed.includes("b") && { memory: { seen: "b" } }),
    });
    expect(byWatch.get("c")?.username).toBeUndefined();
    expect(after).toHaveLength(new Set(["a", "b", ...changed]).size);
  },
);
