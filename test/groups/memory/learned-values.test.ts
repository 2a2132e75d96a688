import { describe, expect, it } from "vitest";
import { LearnedValues } from "../../../src/groups/memory/learned-values.ts";
import { createLearnedInMemory } from "../../support/learned-store.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

interface Size {
  readonly size: number;
}

const SECOND = 1_000;
const FIRST = { sizes: { a: { size: 1 }, b: { size: 2 } } };

function valuesIn(store = createLearnedInMemory(FIRST)) {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2));
  const values = new LearnedValues<Size>({
    scope: "sizes",
    store,
    clock,
    writeEveryMs: 300 * SECOND,
  });
  const stored = () =>
    Object.fromEntries(
      [...(store.scopes.get("sizes") ?? [])].map(([key, text]) => [
        key,
        (JSON.parse(text) as Size).size,
      ]),
    );
  return { clock, values, store, stored };
}

describe("what was learned", () => {
  it("is as the state has it, but for what was put before the state was read", async () => {
    const { values } = valuesIn();
    values.put("a", { size: 9 });
    values.delete("b");
    await values.load();
    expect([values.get("a"), values.get("b"), values.get("c")]).toEqual([
      { size: 9 },
      { size: 2 },
      undefined,
    ]);
  });

  it("is written at once, with the regular write or at the stop, by what a crash would cost", async () => {
    const { clock, values, stored } = valuesIn(createLearnedInMemory());
    values.put("now", { size: 1 }, "now");
    values.put("later", { size: 1 }, "later");
    values.put("stop", { size: 1 }, "stop");
    await values.flush();
    expect(Object.keys(stored())).toEqual(["now"]);
    await clock.advance(300 * SECOND);
    await values.flush();
    expect(Object.keys(stored())).toEqual(["now", "later", "stop"]);
    values.put("stop", { size: 2 }, "stop");
    await clock.advance(300 * SECOND);
    await values.flush();
    expect(stored()["stop"]).toBe(1);
    await values.close();
    expect(stored()["stop"]).toBe(2);
  });

  it("is read from the state key by key, and forgotten with what nobody watches", async () => {
    const { values, stored } = valuesIn();
    expect([await values.find("b"), values.get("a"), await values.find("c")]).toEqual([
      { size: 2 },
      undefined,
      undefined,
    ]);
    values.keepOnly(new Set(["a"]));
    await values.close();
    expect([await values.find("b"), Object.keys(stored())]).toEqual([undefined, ["a"]]);
  });

  it("keeps the most urgent of several changes, and writes the newest value", async () => {
    const { values, stored } = valuesIn(createLearnedInMemory());
    values.put("a", { size: 1 }, "now");
    values.put("a", { size: 2 }, "stop");
    await values.flush();
    expect(stored()).toEqual({ a: 2 });
  });

  it("is written again when the state could not take it", async () => {
    const { values, store, stored } = valuesIn(createLearnedInMemory());
    const { saveLearned } = store;
    values.put("a", { size: 1 }, "now");
    store.saveLearned = () => Promise.reject(new Error("disk full"));
    await expect(values.flush()).rejects.toThrow("disk full");
    values.put("a", { size: 2 }, "stop");
    store.saveLearned = saveLearned;
    await values.flush();
    expect(stored()).toEqual({ a: 2 });
  });

  it("is written in parts where it is much, and what failed is written later", async () => {
    const { values, store, stored } = valuesIn(createLearnedInMemory());
    for (let number = 0; number < 2_500; number += 1)
      values.put(`k${number}`, { size: number }, "now");
    const { saveLearned } = store;
    let failures = 1;
    store.saveLearned = async (scope, changes) => {
      if (store.writes.length === 1 && failures-- > 0) throw new Error("disk full");
      await saveLearned(scope, changes);
    };
    await expect(values.flush()).rejects.toThrow("disk full");
    await values.flush();
    expect(store.writes.map(({ keys }) => keys.length)).toEqual([1_000, 1_000, 500]);
    expect(Object.keys(stored())).toHaveLength(2_500);
  });

  it("is deleted from the state when it is of no use any more", async () => {
    const store = createLearnedInMemory(FIRST);
    const clock = createVirtualClock(0);
    const restore = (stored: unknown) => ((stored as Size).size > 1 ? (stored as Size) : undefined);
    const values = new LearnedValues<Size>({
      scope: "sizes",
      store,
      clock,
      writeEveryMs: SECOND,
      restore,
    });
    await values.load();
    values.delete("unknown");
    await values.close();
    expect([...(store.scopes.get("sizes")?.keys() ?? [])]).toEqual(["b"]);
    expect(store.writes.map(({ keys }) => keys)).toEqual([["a"]]);
  });
});
