/**
 * What every Store must do with the members of lists. Run it with a function that makes an empty
 * one.
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { Member, MembersChange, PollCommit } from "../../src/model/poll-store.ts";
import type { Store } from "../../src/model/store.ts";
import type { TargetRef } from "../../src/model/watch-store.ts";
import { makeEvent } from "../support/make-event.ts";

const T0 = Date.UTC(2026, 0, 15, 12, 0, 0);

const member = (id: string, changes: Partial<Member> = {}): Member => ({
  id,
  username: `user${id}`,
  displayName: `User ${id}`,
  followersCount: 10,
  imageUrl: `https://images.example/${id}.jpg`,
  ...changes,
});

export function describeMembers(name: string, makeStore: () => Promise<Store>): void {
  describe(`members of lists: ${name}`, () => {
    let store: Store;
    let one: TargetRef;
    let two: TargetRef;

    beforeEach(async () => {
      store = await makeStore();
      const targets = ["@a", "@b"].map((key) => ({ key, name: key }));
      const [state] = await store.registerWatches([{ id: "w", type: "followers", targets }], T0);
      [one, two] = ["@a", "@b"].map((targetKey) => ({ watchKey: state?.key ?? "", targetKey })) as [
        TargetRef,
        TargetRef,
      ];
    });

    const commit = (changes: Partial<PollCommit>) =>
      store.commitPoll({
        atMs: T0,
        targets: [],
        verdicts: [],
        events: [],
        deliveries: [],
        ...changes,
      });
    const see = (
      ref: TargetRef,
      seenAtMs: number,
      seen: readonly Member[],
      left: readonly string[] = [],
    ) => commit({ members: [{ ...ref, seenAtMs, seen, left } satisfies MembersChange] });
    const known = async (ids: readonly string[], ...refs: TargetRef[]) =>
      (await store.knownMembers(refs, ids)).map((set) => [...set].sort());
    const absent = async (ref: TargetRef, sinceMs: number) => {
      const found = await store.absentMembers(ref, sinceMs);
      return { ids: found.absent.map(({ id }) => id), memberCount: found.memberCount };
    };

    test("are known per target, in the order asked for", async () => {
      await see(one, T0, [member("1"), member("2")]);
      await see(two, T0, [member("2"), member("3")]);
      expect(await known(["1", "2", "3", "9"], two, one)).toEqual([
        ["2", "3"],
        ["1", "2"],
      ]);
      expect(await known(["1"], { ...one, targetKey: "@nobody" })).toEqual([[]]);
    });

    test("are asked for a thousand at a time and more", async () => {
      const many = Array.from({ length: 2_500 }, (_, i) => member(String(10_000 + i)));
      await see(one, T0, many);
      const [found] = await store.knownMembers(
        [one],
        many.map(({ id }) => id),
      );
      expect(found?.size).toBe(2_500);
      expect((await absent(one, T0 + 1)).ids).toHaveLength(2_500);
    });

    test("that a read did not find are absent, as they were when they were last seen, the longest missed first", async () => {
      await see(one, T0, [member("1"), member("2"), member("3")]);
      await see(one, T0 + 10, [member("2", { username: "renamed", followersCount: 99 })]);
      await see(one, T0 + 20, [member("3")]);
      expect(await absent(one, T0 + 20)).toEqual({ ids: ["1", "2"], memberCount: 3 });
      expect(await absent(one, T0)).toEqual({ ids: [], memberCount: 3 });
      const { absent: gone } = await store.absentMembers(one, T0 + 20);
      expect(gone[1]).toEqual({
        ...member("2", { username: "renamed", followersCount: 99 }),
        seenAtMs: T0 + 10,
      });
    });

    test("that left are members no longer, and can come back", async () => {
      await see(one, T0, [member("1"), member("2")]);
      await see(one, T0 + 10, [member("2")], ["1"]);
      expect(await known(["1", "2"], one)).toEqual([["2"]]);
      expect(await absent(one, T0 + 99)).toEqual({ ids: ["2"], memberCount: 1 });
      await see(one, T0 + 20, [member("1")]);
      expect(await known(["1", "2"], one)).toEqual([["1", "2"]]);
    });

    test("of a target nobody knows are none", async () => {
      expect(await absent({ ...one, targetKey: "@nobody" }, T0)).toEqual({
        ids: [],
        memberCount: 0,
      });
    });

    test("are written with the poll that found them, or not at all", async () => {
      const changes: Partial<PollCommit> = {
        members: [{ ...one, seenAtMs: T0, seen: [member("1")], left: [] }],
      };
      const stale = { ...one, expectedRevision: 7, baselineAtMs: T0 };
      expect(await commit({ ...changes, targets: [stale] })).toEqual({ status: "conflict" });
      expect(await known(["1"], one)).toEqual([[]]);
      expect(
        await commit({
          members: [{ ...one, targetKey: "@nobody", seenAtMs: T0, seen: [member("1")], left: [] }],
        }),
      ).toEqual({
        status: "conflict",
      });
    });

    test("follow their account: a target that takes over another's memory takes its members", async () => {
      await store.resolveTarget(
        { watchKey: one.watchKey, targetKey: "@a" },
        { userId: "44", username: "a" },
      );
      await see(one, T0, [member("1")]);
      await store.registerWatches(
        [{ id: "w", type: "followers", targets: [{ key: "@new", name: "@new" }] }],
        T0,
      );
      await store.resolveTarget(
        { watchKey: one.watchKey, targetKey: "@new" },
        { userId: "44", username: "new" },
      );
      expect(await known(["1"], { ...one, targetKey: "@new" })).toEqual([["1"]]);
    });

    test("that came, left and came again have each of it explained, the oldest first", async () => {
      const fact = (type: string, atMs: number) => ({
        ...makeEvent("1", { type }),
        id: `${type}-${atMs}`,
        watchKey: one.watchKey,
        watch: "w",
        subject: `${one.targetKey}/1`,
        detectedAtMs: atMs,
      });
      const [came, left, again] = [
        fact("follower.added", T0 + 1),
        fact("follower.removed", T0 + 2),
        fact("follower.added", T0 + 3),
      ];
      const row = {
        ...one,
        itemId: "1",
        itemKind: "user" as const,
        verdict: "event" as const,
        detail: "",
        occurredAtMs: T0,
      };
      await commit({ atMs: T0 + 1, verdicts: [{ ...row, eventId: came.id }], events: [came] });
      await commit({
        atMs: T0 + 2,
        events: [left, { ...fact("follower.removed", T0 + 9), subject: `${one.targetKey}/11` }],
      });
      await commit({ atMs: T0 + 3, verdicts: [{ ...row, eventId: again.id }], events: [again] });
      const explained = await store.explainItem("1");
      expect(explained.map(({ watch, event }) => `${watch} ${event?.id ?? ""}`)).toEqual([
        `w ${came.id}`,
        `w ${left.id}`,
        `w ${again.id}`,
      ]);
      expect(await store.explainItem("2")).toEqual([]);
    });

    test("go when their target is forgotten", async () => {
      await see(one, T0, [member("1")]);
      await store.registerWatches(
        [{ id: "w", type: "followers", targets: [{ key: "@b", name: "@b" }] }],
        T0,
      );
      expect(await known(["1"], one)).toEqual([["1"]]);
      await store.prune(T0 + 400 * 86_400_000, 90 * 86_400_000, new Set());
      expect(await known(["1"], one)).toEqual([[]]);
    });
  });
}
