/** Tests how gaps in what was read are reported to the operator, with each strategy. */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

// The polls read many pages over real HTTP.
const MINUTE = 60_000;
const ACCOUNTS = ["quiet_one", "loud_one", "third_one"];
/** More posts than one search reads to its end. */
const BURST = 300;

const groupOf = (strategy: string) => ({
  w: { type: "timeline", accounts: ACCOUNTS, schedule: "@every 1m", max_pages: 4, strategy },
});
const searches = {
  a: { type: "search", query: "zebra", schedule: "@every 1m", max_pages: 4, strategy: "merge" },
  b: { type: "search", query: "giraffe", schedule: "@every 1m", max_pages: 4, strategy: "merge" },
};

it.each([
  ["timelines of their own", groupOf("single")],
  ["timelines after probes", groupOf("probe")],
  ["a search for many accounts", groupOf("merge")],
  ["searches that share a query", searches],
])("a burst that is cut shows as a gap until it is filled: %s", async (_name, watches) => {
  const { clock, control, status, metric, hook } = await startInnerDaemon({
    watches: () => watches,
    prepare: async (ask) => {
      for (const username of ACCOUNTS) {
        await ask("accounts", { username });
        await ask("tweets", { username, text: "an old zebra and giraffe", count: 2 });
      }
    },
  });
  await clock.advance(3 * MINUTE);
  expect([(await status()).gaps, await metric("chirpwatch_gaps")]).toEqual([0, 0]);
  await control("tweets", { username: "loud_one", text: "a new zebra", count: BURST });
  const seen: number[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    await clock.advance(MINUTE / 4);
    const { gaps } = await status();
    expect(await metric("chirpwatch_gaps")).toBe(gaps);
    seen.push(gaps);
  }
  expect(seen).toContain(1);
  await clock.advance(10 * MINUTE);
  expect((await status()).gaps).toBe(0);
  expect(new Set(hook.events().map(({ subject }) => subject)).size).toBe(BURST);
});
