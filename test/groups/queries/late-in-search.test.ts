import { describe, expect, it } from "vitest";
import { lackedPerDay } from "../../../src/groups/queries/late-in-search.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";

describe("posts that a search lacks when it is asked", () => {
  it.each([10, 60, 300])("are as many as come by the usual lags, looked for evenly at a mean of %i s", (seconds) => {
    const random = createSeededRandom(5);
    const posts = 200_000;
    let lacked = 0;
    for (let post = 0; post < posts; post += 1) {
      // 0.2 to 2 s, one in a hundred up to four minutes.
      const lagMs = random.float() < 0.01 ? random.float() * 240_000 : 200 + random.float() * 1_800;
      if (random.float() * 2_000 * seconds < lagMs) lacked += 1;
    }
    // Bursts are looked for sooner than evenly.
    const share = lackedPerDay(posts, 1_000 * seconds) / lacked;
    expect(share).toBeGreaterThan(1);
    expect(share).toBeLessThan(1.5);
  });

  it("are all of them at most, and hardly any where looks are hours apart", () => {
    expect(lackedPerDay(100, 100)).toBe(100);
    expect(lackedPerDay(100, 3_600_000)).toBeLessThan(0.1);
  });
});
