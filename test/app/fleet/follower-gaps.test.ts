/**
 * Tests gaps that a follower's polls leave: they close as fast as on one machine, even if the month
 * has little quota to spare.
 */
import { expect, it } from "vitest";
import { makeInnerReplicas } from "../../support/inner-replicas.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const WORDS = ["zebra", "giraffe", "okapi"] as const;
/** The number of posts in a burst: a little more than three pages. */
const BURST = 60;

const search = (query: string) => ({
  type: "search",
  query,
  schedule: "@every 10s",
  strategy: "single",
});
const searches = Object.fromEntries(WORDS.map((word) => [word, search(word)]));

/** A quota below what the schedules need, so that only the token bucket has pages to spare. */
const SCARCE = { monthly: 100_000 };

it.each([1, 3])(
  "fault 100: are closed within three polls by each of %i replicas",
  async (replicas) => {
    const { clock, control, add, heldBy, hook } = await makeInnerReplicas(searches, SCARCE);
    await control("accounts", { username: "anna" });
    for (let count = 0; count < replicas; count += 1) await add();
    await clock.advance(3 * MINUTE);
    const held = await Promise.all(
      Array.from({ length: replicas }, async (_, replica) => (await heldBy(replica)).length),
    );
    expect(Math.min(...held)).toBeGreaterThan(0);
    for (let burst = 1; burst <= 2; burst += 1) {
      for (const word of WORDS)
        await control("tweets", { username: "anna", text: `one ${word}`, count: BURST });
      await clock.advance(40 * SECOND);
      const alerts = hook.events().filter(({ type }) => type === "tweet.created");
      const counts = WORDS.map(
        (word) =>
          new Set(alerts.filter(({ watch }) => watch === word).map(({ subject }) => subject)).size,
      );
      expect(counts).toEqual(WORDS.map(() => burst * BURST));
    }
  },
);
