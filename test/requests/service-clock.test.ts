import fc from "fast-check";
import { expect, it } from "vitest";
import { createServiceClock } from "../../src/requests/service-clock.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

it("goes by the last answer alone: by the service's time where that differs, by ours again once the clock is right", async () => {
  const answers = fc.array(
    fc.record({
      skewS: fc.constantFrom(0, 0, -3_600, 90, 7_200),
      tookS: fc.integer({ min: 0, max: 8 }),
    }),
    {
      minLength: 1,
    },
  );
  await fc.assert(
    fc.asyncProperty(answers, async (row) => {
      const clock = createVirtualClock(1_000_000_000_000);
      const service = createServiceClock(clock);
      for (const { skewS, tookS } of row) {
        const sentAtMs = clock.now();
        await clock.advance(tookS * 1_000);
        // The service writes its date at any moment of the request, in whole seconds.
        const writtenMs = sentAtMs + tookS * 500 + skewS * 1_000;
        service.observe(Math.floor(writtenMs / 1_000) * 1_000, sentAtMs);
        const apart = service.now() - clock.now();
        expect(Math.abs(apart - skewS * 1_000)).toBeLessThanOrEqual(skewS === 0 ? 0 : 1_500);
        expect(service.fromLocal(5)).toBe(5 + apart);
      }
    }),
  );
});

it("takes an answer that needed long for no skew", async () => {
  const clock = createVirtualClock(1_000_000_000_000);
  const service = createServiceClock(clock);
  const sentAtMs = clock.now();
  await clock.advance(9_000);
  service.observe(sentAtMs + 1_000, sentAtMs);
  expect(service.now()).toBe(clock.now());
});
