/**
 * Tests a group that an outage or a clock kept from its turns: the delays that follow must not
 * change its pace.
 */
import { expect, it } from "vitest";
import { startGroup } from "./fresh-group.ts";

const START = Date.UTC(2026, 2, 2);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ACCOUNTS = 150;

it("polls no more often after an outage of three hours than before it", async () => {
  const isDown = (nowMs: number) => nowMs >= START + 8 * HOUR && nowMs < START + 11 * HOUR;
  const { clock, probesAnHour } = await startGroup(ACCOUNTS, (nowMs) => nowMs, isDown);
  await clock.advanceTo(START + 15 * HOUR);
  const share = probesAnHour(12, 15) / probesAnHour(4, 8);
  expect(share).toBeLessThan(1.1);
  expect(share).toBeGreaterThan(0.9);
});

it("polls no more often after a clock that ran a day ahead was set right", async () => {
  let aheadMs = 0;
  const { clock, probesAnHour } = await startGroup(ACCOUNTS, (nowMs) => nowMs - aheadMs);
  const jump = (ms: number) => {
    aheadMs += ms;
    clock.jump(ms);
  };
  await clock.advanceTo(START + 8 * HOUR);
  jump(DAY);
  await clock.advance(HOUR);
  jump(-DAY);
  await clock.advanceTo(START + 13 * HOUR);
  const share = probesAnHour(10, 13) / probesAnHour(4, 8);
  expect(share).toBeLessThan(1.3);
  expect(share).toBeGreaterThan(0.7);
});
