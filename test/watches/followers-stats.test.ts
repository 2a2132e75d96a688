import { expect, it } from "vitest";
import { startGolden } from "./golden-rig.ts";

it("followers_stats tells followers of weight that crossed a number, once", async () => {
  const golden = await startGolden("followers_stats", { accounts: ["acme"], when: { followers_count: "every 5" } });
  expect(await golden.told()).toEqual([]);
  golden.control("POST", "follows", { target: "acme", count: 40 });
  await golden.minutes(3);
  const [told, ...more] = await golden.told();
  expect(more).toEqual([]);
  expect(told?.event).toMatchObject({ type: "stats.changed", body: { user: { username: "acme" }, crossed: ["followers_count"] } });
  expect(told?.message).toMatchObject({
    title: expect.stringMatching(/\(@acme\) reached \d+ followers of note$/),
    url: "https://x.com/acme",
  });
  golden.control("POST", "accounts", { username: "acme", protected: true });
  await golden.minutes(3);
  expect(await golden.told()).toHaveLength(1);
});
