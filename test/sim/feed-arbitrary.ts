/**
 * Generates what one feed of tweets can meet in three hours: posts, hidden and broken answers of
 * the service, and crashes.
 */
import fc from "fast-check";
import type { FaultKind, FeedScenario } from "./feed-scenario.ts";

const minute = fc.integer({ min: 1, max: 179 });
export const feedScenarios: fc.Arbitrary<FeedScenario> = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  type: fc.constantFrom("search", "timeline", "community_tweets"),
  intervalMin: fc.constantFrom(1, 3, 5),
  maxPages: fc.integer({ min: 1, max: 4 }),
  odd: fc.constantFrom(0, 0, 0.2, 0.4),
  skewMin: fc.constantFrom(0, 0, -180, 240),
  isPinned: fc.boolean(),
  before: fc.constantFrom(0, 3, 60),
  posts: fc.array(
    fc.record({
      atMin: minute,
      count: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 1, max: 5 }) },
        { weight: 1, arbitrary: fc.integer({ min: 20, max: 300 }) },
      ),
      overSec: fc.constantFrom(1, 30, 600),
      lagMin: fc.oneof(
        { weight: 3, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 14 }) },
      ),
    }),
    { maxLength: 30 },
  ),
  hides: fc.array(
    fc.record({
      post: fc.nat(30),
      afterMin: fc.integer({ min: 0, max: 30 }),
      forMin: fc.integer({ min: 1, max: 60 }),
    }),
    {
      maxLength: 3,
    },
  ),
  faults: fc.array(
    fc.record({
      atMin: minute,
      forSec: fc.constantFrom(1, 10, 400, 1_500),
      kind: fc.constantFrom<FaultKind>("500", "429", "mid-page", "mid-page", "empty", "html"),
    }),
    { maxLength: 4 },
  ),
  crashes: fc.array(
    fc.record({
      atMin: minute,
      steps: fc.integer({ min: 1, max: 60 }),
      downMin: fc.constantFrom(0, 2, 12),
    }),
    {
      maxLength: 3,
    },
  ),
  expiriesMin: fc.array(minute, { maxLength: 4 }),
});
