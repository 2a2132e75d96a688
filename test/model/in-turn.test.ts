import { expect, test } from "vitest";
import { createInTurn, untilDone } from "../../src/model/in-turn.ts";

test("work begins when the one before has ended, whatever became of it", async () => {
  const inTurn = createInTurn();
  const seen: string[] = [];
  const first = inTurn(async () => {
    await Promise.resolve();
    seen.push("first");
    throw new Error("lost");
  });
  const second = inTurn(async () => {
    seen.push("second");
  });
  await expect(first).rejects.toThrow("lost");
  await second;
  expect(seen).toEqual(["first", "second"]);
});

test("a value that is read once is read again only if the read failed", async () => {
  let reads = 0;
  const load = untilDone(async () => {
    reads += 1;
    if (reads === 1) throw new Error("busy");
  });
  await expect(Promise.all([load(), load()])).rejects.toThrow("busy");
  expect(reads).toBe(1);
  await Promise.all([load(), load()]);
  await load();
  expect(reads).toBe(2);
});
