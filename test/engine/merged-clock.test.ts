/** Tests a service whose clock changes in the middle of a read that many accounts share. */
import { expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { UpstreamRequest } from "../../src/model/upstream.ts";
import { createAccountsWorld } from "../support/accounts-world.ts";
import { startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const TWO_DAYS = 172_800_000;

it("reports the first post of an account that had none, although the clock went ahead since the read began", async () => {
  const clock = createVirtualClock(START);
  const world = createAccountsWorld();
  const [first, second] = [world.add("first"), world.add("second")];
  let aheadMs = 0;
  const upstream = {
    async call(request: UpstreamRequest) {
      await sleep(clock, 40);
      const nowMs = clock.now() + aheadMs;
      return { ...world.answer(request, nowMs), serviceTimeMs: Math.floor(nowMs / 1_000) * 1_000 };
    },
  };
  const accounts = [first, second].map(({ id }) => `id:${id}`);
  const watch = makeWatch(
    "w",
    "timeline",
    { accounts },
    { schedule: { kind: "every", intervalMs: MIN } },
  );
  const harness = await startEngineHarness({ clock, upstream, watches: [watch] });
  try {
    await clock.advance(2.5 * MIN);
    aheadMs = TWO_DAYS;
    const post = world.post(first, clock.now() + aheadMs);
    await clock.advance(3 * MIN);
    expect((await harness.events()).map(({ subject }) => subject)).toEqual([post.id]);
  } finally {
    await harness.close();
  }
});
