/** Tests the demo with a file that polls rarely, which takes half a minute. */
import { afterAll, expect, it } from "vitest";
import { cleanUp, makeFolder, runBin } from "../support/bin-process.ts";

afterAll(cleanUp);

const numberIn = (text: string, pattern: RegExp): number =>
  Number(pattern.exec(text)?.[1] ?? Number.NaN);

it("takes longer if it may send few requests at a time, and shows the same", async () => {
  const cwd = makeFolder({
    "slow.yaml": `version: 1
api: { rate_limit: { count: 1, interval: 3s } }
watches:
  followers: { type: new_followers, accounts: [acme], sink: brand }
  mentions: { type: search, query: acme, sink: brand }
sinks:
  brand: { type: console }
`,
  });
  const { code, out, err } = await runBin(["demo", "-c", "slow.yaml"], { cwd, env: {} });
  expect(err).toBe("");
  expect(code).toBe(0);
  expect(numberIn(out, /(\d+) items raised an alert before the restart/)).toBeGreaterThan(0);
  expect(numberIn(out, /served (\d+) of them again/)).toBeGreaterThan(0);
  expect(out).toContain("duplicate alerts: 0");
});
