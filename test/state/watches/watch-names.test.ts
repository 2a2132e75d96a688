/** Which memory a configured watch has, over any row of configurations with `moved_from`. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { memoryStatePath, openTemp, START_MS as T0 } from "../temp-state.ts";

const NAMES = ["a", "b", "c"] as const;

const configurations = fc.array(
  fc
    .record({
      a: fc.constantFrom("", "plain", "b", "c"),
      b: fc.constantFrom("", "plain", "a", "c"),
      c: fc.constantFrom("", "plain", "a", "b"),
    })
    // One watch is moved to one name.
    .filter(
      (one) =>
        new Set(NAMES.map((name) => one[name]).filter((from) => from.length === 1)).size ===
        NAMES.filter((name) => one[name].length === 1).length,
    ),
  { minLength: 2, maxLength: 6 },
);

it("is its own as long as it is configured, however long moved_from stands there; and no two watches share one", async () => {
  await fc.assert(
    fc.asyncProperty(configurations, async (row) => {
      const store = await openTemp(memoryStatePath());
      let active = new Map<string, string>();
      for (const [index, one] of row.entries()) {
        const watches = NAMES.filter((name) => one[name] !== "").map((id) => ({
          ...{ id, type: "search", targets: [{ key: "t", name: "t" }] },
          ...(one[id].length === 1 ? { movedFrom: one[id] } : {}),
        }));
        const keys = new Map(
          (await store.registerWatches(watches, T0 + index)).map(({ id, key }) => [id, key]),
        );
        expect(new Set(keys.values()).size).toBe(keys.size);
        for (const { id, movedFrom } of watches) {
          const own = active.get(id);
          const moved =
            movedFrom === undefined || one[movedFrom as "a"] !== ""
              ? undefined
              : active.get(movedFrom);
          if (own !== undefined) expect(keys.get(id)).toBe(own);
          else if (moved !== undefined) expect(keys.get(id)).toBe(moved);
        }
        active = keys;
      }
    }),
    { numRuns: 60 },
  );
});
