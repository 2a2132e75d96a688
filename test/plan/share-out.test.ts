/** Tests that shares are even by cost, and change as little as possible. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { shareOut } from "../../src/plan/share-out.ts";
import type { WorkClaim, Work } from "../../src/model/replicas.ts";

const workOf = (costs: readonly number[]): readonly Work[] =>
  costs.map((cost, n) => ({ kind: "poll", key: `p${n}`, cost }));

/** Returns the claims in the state after all replicas have handed over what others are to do. */
function apply(
  claims: readonly WorkClaim[],
  { changed, removed }: ReturnType<typeof shareOut>,
): readonly WorkClaim[] {
  const next = new Map(claims.map((claim) => [claim.key, claim]));
  for (const { key } of removed) next.delete(key);
  for (const claim of changed) next.set(claim.key, { ...claim, replica: claim.wanted });
  return [...next.values()];
}

const loadsOf = (claims: readonly WorkClaim[], replicas: readonly string[]): readonly number[] =>
  replicas.map((id) =>
    claims.filter(({ replica }) => replica === id).reduce((sum, { cost }) => sum + cost, 0),
  );

const some = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 300 });

it("everything has one replica, and none has more than its part and a twentieth, or the largest piece of work", () => {
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 5 }), (costs, count) => {
      const replicas = Array.from({ length: count }, (_, n) => `r${n}`);
      const claims = apply([], shareOut(workOf(costs), [], replicas));
      expect(claims.map(({ key }) => key).sort()).toEqual(
        workOf(costs)
          .map(({ key }) => key)
          .sort(),
      );
      const even = costs.reduce((sum, cost) => sum + cost, 0) / count;
      for (const load of loadsOf(claims, replicas))
        expect(load).toBeLessThanOrEqual(Math.max(even * 1.05, even + Math.max(...costs)));
    }),
  );
});

it("a replica that joins gets only what the others have too much of, and one that goes leaves only its own", () => {
  const work = workOf(Array.from({ length: 300 }, (_, n) => 1 + (n % 7)));
  const two = apply([], shareOut(work, [], ["a", "b"]));
  const joined = shareOut(work, two, ["a", "b", "c"]);
  expect(joined.changed.every(({ wanted }) => wanted === "c")).toBe(true);
  expect(joined.changed.every(({ replica }) => replica === "a" || replica === "b")).toBe(true);
  const three = apply(two, joined);
  const even = work.reduce((sum, { cost }) => sum + cost, 0) / 3;
  for (const load of loadsOf(three, ["a", "b", "c"]))
    expect(Math.abs(load - even) / even).toBeLessThan(0.1);
  // The state has freed the claims of `c`.
  const freed = three.map((claim) => (claim.replica === "c" ? { ...claim, replica: null } : claim));
  const gone = shareOut(work, freed, ["a", "b"]);
  expect(gone.changed.map(({ key }) => key).sort()).toEqual(
    freed.flatMap(({ replica, key }) => (replica === null ? [key] : [])).sort(),
  );
  expect(gone.changed.every(({ replica, wanted }) => replica === wanted)).toBe(true);
});

it("claims of former work are removed, and unchanged claims are not written", () => {
  const claims = apply([], shareOut(workOf([1, 1, 1, 1]), [], ["a", "b"]));
  expect(shareOut(workOf([1, 1, 1, 1]), claims, ["a", "b"])).toEqual({ changed: [], removed: [] });
  expect(shareOut(workOf([1, 1]), claims, ["a", "b"]).removed.map(({ key }) => key)).toEqual([
    "p2",
    "p3",
  ]);
});
