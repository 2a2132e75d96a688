/** Tests the counts by day: what is read again for each page, and what is cached. */
import { expect, it } from "vitest";
import type { PeriodCount } from "../../../src/model/days.ts";
import { createDays, type DaysDeps } from "../../../src/operate/reports/days.ts";

const DAY_MS = 86_400_000;
const NOON_MS = 20_000 * DAY_MS + DAY_MS / 2;

function setUp() {
  let nowMs = NOON_MS;
  const asked: number[] = [];
  const addedTo: number[] = [];
  const alerts = new Map<number, number>();
  const store = {
    countAlerts: async (fromMs: number, _toMs: number, earlier?: PeriodCount) => {
      const day = fromMs / DAY_MS - 20_000;
      asked.push(day);
      if (earlier !== undefined) addedTo.push(day);
      return { count: alerts.get(day) ?? 0, lastSeq: 1 };
    },
    spentByHour: async () => [],
  } as unknown as DaysDeps["store"];
  const days = createDays({ store, clock: { now: () => nowMs } });
  const read = async () => {
    asked.length = 0;
    const counts = (await days.ofAll(0)).alerts.map(({ count }) => count);
    return { asked: [...asked], counts };
  };
  return { alerts, addedTo, read, wait: (ms: number) => void (nowMs += ms) };
}

it("reads 30 days once, then today, and yesterday at most twice a minute", async () => {
  const { alerts, read, wait } = setUp();
  expect((await read()).asked).toEqual(Array.from({ length: 30 }, (_, at) => at - 29));
  wait(10_000);
  expect((await read()).asked).toEqual([0]);
  alerts.set(0, 7);
  wait(20_000);
  const { asked, counts } = await read();
  expect(asked).toEqual([-1, 0]);
  expect(counts.at(-1)).toBe(7);
});

it("counts a day again when it is over, whenever it was counted before", async () => {
  const { alerts, read, wait } = setUp();
  await read();
  alerts.set(0, 7);
  wait(3 * DAY_MS);
  const { asked, counts } = await read();
  expect(asked).toEqual([-1, 0, 1, 2, 3]);
  expect(counts.at(-4)).toBe(7);
});

it("adds to the count of today, and counts the whole day again every ten minutes", async () => {
  const { addedTo, read, wait } = setUp();
  await read();
  expect(addedTo).toEqual([]);
  wait(599_000);
  await read();
  expect(addedTo).toEqual([-1, 0]);
  wait(1_000);
  expect((await read()).asked).toEqual([0]);
  expect(addedTo).toEqual([-1, 0]);
  wait(10_000);
  await read();
  expect(addedTo).toEqual([-1, 0, 0]);
});
