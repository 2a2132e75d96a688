/** The ids of messages. */
import { expect, test } from "vitest";
import { newMessageId } from "../../src/model/message-id.ts";
import { createSystemRandom } from "../../src/runtime/system-random.ts";

const random = createSystemRandom();

test("have 22 characters and differ, also at the same time", () => {
  const ids = Array.from({ length: 1_000 }, () => newMessageId(random, 1_795_973_202_148));
  expect(new Set(ids).size).toBe(1_000);
  expect(ids.filter((id) => !/^[0-9A-Za-z_-]{22}$/.test(id))).toEqual([]);
});

test("differ even where random ids differ only at their ends, as those of a backtest do", () => {
  let count = 0;
  const counting = { float: () => 0.5, id: () => String((count += 1)).padStart(22, "0") };
  expect(newMessageId(counting, 1_000)).not.toBe(newMessageId(counting, 1_000));
});

test("stand in the order of their times, so that an index grows at its end", () => {
  const times = [0, 1, 1_600_000_000_000, 1_795_973_202_147, 1_795_973_202_148, 4_102_444_800_000];
  const ids = times.map((atMs) => newMessageId(random, atMs));
  expect([...ids].sort()).toEqual(ids);
});
