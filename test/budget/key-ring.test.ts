import { describe, expect, it } from "vitest";
import { createKeyRing } from "../../src/budget/key-ring.ts";

const HOUR = 3_600_000;
const ALL = ["a", "b", "c"];

describe("a key the service refuses", () => {
  it("is suspended, and the others go on in their order", () => {
    const ring = createKeyRing();
    ring.suspend("b", "billing", 0);
    expect(ring.usable(ALL)).toEqual(["a", "c"]);
    expect(ring.suspended).toEqual([{ key: "b", because: "billing", sinceMs: 0 }]);
  });

  it("is asked about once an hour", () => {
    const ring = createKeyRing();
    ring.suspend("b", "unauthorized", 0);
    expect(ring.claimProbes(HOUR - 1)).toEqual([]);
    expect(ring.claimProbes(HOUR)).toEqual(["b"]);
    expect(ring.claimProbes(HOUR + 1)).toEqual([]);
    expect(ring.claimProbes(2 * HOUR)).toEqual(["b"]);
  });

  it("on trial may pay, and is not asked about meanwhile", () => {
    const ring = createKeyRing();
    ring.suspend("b", "billing", 0);
    ring.tryAgain("b");
    expect(ring.usable(ALL)).toEqual(ALL);
    expect(ring.suspended).toHaveLength(1);
    expect(ring.claimProbes(5 * HOUR)).toEqual([]);
  });

  it("is back once it has paid, and refused since the first time when the trial fails", () => {
    const ring = createKeyRing();
    ring.suspend("b", "billing", 0);
    ring.tryAgain("b");
    ring.suspend("b", "billing", HOUR);
    expect(ring.usable(ALL)).toEqual(["a", "c"]);
    expect(ring.suspended).toEqual([{ key: "b", because: "billing", sinceMs: 0 }]);
    expect(ring.paid("b", HOUR + 1)).toBe(true);
    expect(ring.suspended).toEqual([]);
    expect(ring.usable(ALL)).toEqual(ALL);
  });

  it("stays suspended when a request that was under way at its last refusal is answered late", () => {
    const ring = createKeyRing();
    ring.suspend("b", "billing", 100);
    expect(ring.paid("b", 99)).toBe(false);
    ring.tryAgain("b");
    ring.suspend("b", "billing", HOUR);
    expect(ring.paid("b", HOUR - 1)).toBe(false);
    expect(ring.usable(ALL)).toEqual(["a", "c"]);
  });

  it("is forgotten when other keys become active", () => {
    const ring = createKeyRing();
    ring.suspend("b", "billing", 0);
    ring.reset();
    expect(ring.usable(ALL)).toEqual(ALL);
  });
});
