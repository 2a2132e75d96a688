import { expect, it } from "vitest";
import { createCooldowns } from "../../../src/groups/memory/cooldowns.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

it("fault 72: holds a member for as long as was said, whatever the wall clock does", async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2, 12, 0, 0));
  const holds = createCooldowns(clock);
  holds.note("poll", { aftermath: { notBeforeMs: clock.now() + 60_000 } });
  clock.jump(-3_600_000);
  await clock.advance(59_000);
  expect(holds.isHeld("poll")).toBe(true);
  await clock.advance(2_000);
  expect(holds.isHeld("poll")).toBe(false);
});
