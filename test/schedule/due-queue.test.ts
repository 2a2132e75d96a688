import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DueEntry, DueQueue } from "../../src/schedule/due-queue.ts";

const entry = (
  key: string,
  dueMs: number,
  priority: DueEntry["priority"] = "normal",
): DueEntry => ({ key, dueMs, priority });

describe("due queue", () => {
  it("gives what is due by time, then priority, then key", () => {
    const queue = new DueQueue();
    for (const one of [
      entry("d", 5),
      entry("c", 5, "low"),
      entry("b", 5),
      entry("a", 9, "high"),
      entry("z", 5, "high"),
    ])
      queue.push(one);
    expect(queue.popDue(5).map((one) => one.key)).toEqual(["z", "b", "d", "c"]);
    expect(queue.peek()?.key).toBe("a");
    expect(queue.size).toBe(1);
  });

  it("takes at most as many as asked for and leaves the rest in order", () => {
    const queue = new DueQueue();
    for (let i = 9; i >= 0; i -= 1) queue.push(entry(`k${i}`, i));
    expect(queue.popDue(100, 3).map((one) => one.dueMs)).toEqual([0, 1, 2]);
    expect(queue.popDue(4).map((one) => one.dueMs)).toEqual([3, 4]);
  });

  it("moves an entry that is pushed again or updated, and forgets a removed one", () => {
    const queue = new DueQueue();
    queue.push(entry("a", 1));
    queue.push(entry("b", 2));
    queue.push(entry("a", 3));
    expect(queue.update("b", { dueMs: 4 })).toBe(true);
    expect(queue.update("none", { dueMs: 4 })).toBe(false);
    expect(queue.get("b")).toEqual(entry("b", 4));
    expect(queue.remove("a")).toBe(true);
    expect(queue.remove("a")).toBe(false);
    expect(queue.entries()).toEqual([entry("b", 4)]);
  });

  it("agrees with a sorted list after any history of pushes, moves and removals", () => {
    const step = fc.record({
      key: fc.constantFrom(..."abcdefghijklmnop".split("")),
      dueMs: fc.integer({ min: 0, max: 20 }),
      priority: fc.constantFrom("high" as const, "normal" as const, "low" as const),
      isRemoval: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const queue = new DueQueue();
        const model = new Map<string, DueEntry>();
        for (const { key, dueMs, priority, isRemoval } of steps) {
          if (isRemoval) expect(queue.remove(key)).toBe(model.delete(key));
          else {
            queue.push(entry(key, dueMs, priority));
            model.set(key, entry(key, dueMs, priority));
          }
        }
        const rank = { high: 0, normal: 1, low: 2 };
        const sorted = [...model.values()].sort(
          (a, b) =>
            a.dueMs - b.dueMs || rank[a.priority] - rank[b.priority] || (a.key < b.key ? -1 : 1),
        );
        expect(queue.size).toBe(sorted.length);
        expect(queue.popDue(1_000)).toEqual(sorted);
      }),
      { numRuns: 300 },
    );
  });

  it("compares a logarithm, not a multiple, of its size: ten thousand entries turn over fast", () => {
    const reads = { count: 0 };
    const counted = (key: string, dueMs: number): DueEntry => ({
      key,
      priority: "normal",
      get dueMs() {
        reads.count += 1;
        return dueMs;
      },
    });
    const queue = new DueQueue();
    for (let i = 0; i < 10_000; i += 1) queue.push(counted(`k${i}`, (i * 7_919) % 10_007));
    for (let i = 0; i < 10_000; i += 1) queue.push(counted(`k${i}`, (i * 104_729) % 10_007));
    queue.popDue(20_000);
    expect(reads.count).toBeLessThan(10_000 * 3 * 14 * 5);
  });
});
