/** What several keys may spend, in the whole daemon. */
import { expect, it } from "vitest";
import { KEY, startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const EACH = 120;

it("a key that is refused near the line keeps no poll from what the other one has left", async () => {
  const keys = [
    { key: KEY, name: "first", monthly: EACH },
    { key: "K2", name: "second", monthly: EACH },
  ];
  const { clock, control, status } = await startInnerDaemon({
    api: { key: undefined, keys, quota: { reserve: "0%", on_exhausted: "pause" } },
    watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 1s" } }),
    prepare: (ask) => ask("keys", { key: "K2", quota: 1_000 }),
  });
  const spentBy = async (key: string): Promise<number> => (await control("requests")).billed_by_key[key] ?? 0;
  // Both pay in turn; the quota's own count is as old as it gets.
  while ((await spentBy("K2")) < EACH - 10) await clock.advance(SECOND);
  await control("keys/K2", undefined, "DELETE");
  await clock.advance(20 * SECOND);
  expect(await spentBy(KEY)).toBe(EACH);
  expect((await status()).reasons.join()).toContain("the key second is set aside");
});
