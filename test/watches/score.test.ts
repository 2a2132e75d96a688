import { expect, it } from "vitest";
import { startGolden } from "./golden-rig.ts";

it("score tells that the score itself crossed, when the day's scores are out", async () => {
  const schedule = { kind: "every", intervalMs: 6 * 3_600_000 } as const;
  const golden = await startGolden("score", { accounts: ["acme"], when: { score: "every 10" } }, { schedule });
  await golden.minutes(11 * 60);
  expect(await golden.told()).toEqual([]);
  await golden.minutes(6 * 24 * 60);
  const told = await golden.told();
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThanOrEqual(6);
  expect(told[0]?.event).toMatchObject({ type: "score.changed", labels: { author: "acme" }, body: { user: { username: "acme" } } });
  const { score, previous } = (told[0]?.event.body ?? {}) as unknown as Record<string, { readonly score: number }>;
  expect(score?.score).toBeGreaterThan(previous?.score ?? Number.NaN);
  expect(told[0]?.message.title).toMatch(/\(@acme\): score reached [\d,.]+ points$/);
});
