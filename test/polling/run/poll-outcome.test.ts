import { afterEach, expect, it } from "vitest";
import { tweetIdAt } from "../../../src/model/id.ts";
import type { Tweet } from "../../../src/model/tweet.ts";
import { type EngineHarness, startEngineHarness } from "../../support/engine-harness.ts";
import { makeTweet } from "../../support/make-event.ts";
import { makeWatch } from "../../support/make-watch.ts";
import { createScriptedUpstream } from "../../support/scripted-upstream.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const DAY = 86_400_000;

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const postedAt = (atMs: number): Tweet => ({
  ...makeTweet(tweetIdAt(atMs)),
  created_at: new Date(atMs).toISOString(),
});

/** Sets up one search that is read every minute. Returns the posts of each read that found any. */
async function setup(page: Tweet[]) {
  const clock = createVirtualClock(START);
  const upstream = createScriptedUpstream(clock);
  upstream.on("search-tweets", () => ({ tweets: page }));
  harness = await startEngineHarness({
    clock,
    upstream,
    watches: [makeWatch("w", "search", { query: "acme" })],
  });
  await clock.advance(1.5 * MIN);
  const posted = () =>
    (harness?.polled ?? []).flatMap(({ outcome }) =>
      outcome === undefined ? [] : [outcome.postedMs],
    );
  return { clock, posted };
}

it("says of a first read when everything on its page was posted", async () => {
  const { posted } = await setup([postedAt(START - DAY), postedAt(START - 2 * DAY)]);
  expect(posted()[0]).toEqual([START - 2 * DAY, START - DAY]);
});

it("says of later reads when new posts were posted, and not what had been there before the first one", async () => {
  const page = [postedAt(START - DAY)];
  const { clock, posted } = await setup(page);
  page.unshift(postedAt(START + 2 * MIN - 1_000));
  page.push(postedAt(START - 400 * DAY));
  await clock.advance(2 * MIN);
  expect(posted().slice(1).flat()).toEqual([START + 2 * MIN - 1_000]);
});
