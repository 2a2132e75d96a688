import { expect, it } from "vitest";
import { startWatchFixture } from "./watch-fixture.ts";

it("followers_stats reports followers of weight that crossed a number, once", async () => {
  const fixture = await startWatchFixture("followers_stats", {
    accounts: ["acme"],
    when: { followers_count: "every 5" },
  });
  expect(await fixture.alerts()).toEqual([]);
  fixture.control("POST", "follows", { target: "acme", count: 40 });
  await fixture.minutes(3);
  const [alerts, ...more] = await fixture.alerts();
  expect(more).toEqual([]);
  expect(alerts?.event).toMatchObject({
    type: "stats.changed",
    body: { user: { username: "acme" }, crossed: ["followers_count"] },
  });
  expect(alerts?.message).toMatchObject({
    title: expect.stringMatching(/\(@acme\) reached \d+ followers of note$/),
    url: "https://x.com/acme",
  });
  fixture.control("POST", "accounts", { username: "acme", protected: true });
  await fixture.minutes(3);
  expect(await fixture.alerts()).toHaveLength(1);
});
