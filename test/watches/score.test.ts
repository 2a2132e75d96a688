import { expect, it } from "vitest";
import { startWatchFixture } from "./watch-fixture.ts";

it("score reports that the score itself crossed, when the day's scores are out", async () => {
  const schedule = { kind: "every", intervalMs: 6 * 3_600_000 } as const;
  const fixture = await startWatchFixture(
    "score",
    { accounts: ["acme"], when: { score: "every 10" } },
    { schedule },
  );
  await fixture.minutes(11 * 60);
  expect(await fixture.alerts()).toEqual([]);
  await fixture.minutes(6 * 24 * 60);
  const alerts = await fixture.alerts();
  expect(alerts.length).toBeGreaterThan(0);
  expect(alerts.length).toBeLessThanOrEqual(6);
  expect(alerts[0]?.event).toMatchObject({
    type: "score.changed",
    labels: { author: "acme" },
    body: { user: { username: "acme" } },
  });
  const { score, previous } = (alerts[0]?.event.body ?? {}) as unknown as Record<
    string,
    { readonly score: number }
  >;
  expect(score?.score).toBeGreaterThan(previous?.score ?? Number.NaN);
  expect(alerts[0]?.message.title).toMatch(/\(@acme\): score reached [\d,.]+ points$/);
});
