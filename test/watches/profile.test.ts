import { expect, it } from "vitest";
import { startGolden } from "./golden-rig.ts";

it("profile tells a rename with what it was, once, and follows the account on", async () => {
  const golden = await startGolden("profile", { accounts: ["acme", "rival"] });
  expect(await golden.told()).toEqual([]);
  const { id } = golden.control("POST", "accounts", { username: "acme", rename_to: "acme_hq" });
  await golden.minutes(3);
  const [told, ...more] = await golden.told();
  expect(more).toEqual([]);
  expect(told?.event).toMatchObject({ type: "profile.changed", subject: id, labels: { target: "acme", author: "acme_hq" } });
  expect(told?.event.body).toMatchObject({
    user: { id, username: "acme_hq" },
    previous: { username: "acme" },
    crossed: [],
    changed: ["username"],
  });
  expect(told?.message).toMatchObject({ title: "@acme is now @acme_hq", body: "Handle: acme → acme_hq", url: "https://x.com/acme_hq" });
  const [watch] = await golden.rig.store.listWatches();
  expect(watch?.targets.map(({ name, username }) => [name, username])).toEqual([
    ["acme", "acme_hq"],
    ["rival", "rival"],
  ]);
});

it("profile tells a count at every step, once, in one request for all accounts", async () => {
  const golden = await startGolden("profile", (control) => {
    control("POST", "accounts", { username: "acme", followers_count: 11_980 });
    return { accounts: ["acme", "rival"], fields: [], when: { followers_count: "every 1000" } };
  });
  const before = golden.billed()["info-batch"] ?? 0;
  for (const count of [12_034, 11_990, 12_100]) {
    golden.control("POST", "accounts", { username: "acme", followers_count: count });
    await golden.minutes(1);
  }
  const told = await golden.told();
  expect(told.map(({ message }) => message.title)).toEqual([expect.stringMatching(/\(@acme\) reached 12,034 followers$/)]);
  expect(told[0]?.event).toMatchObject({ type: "profile.threshold", body: { crossed: ["followers_count"], changed: [] } });
  expect(told[0]?.message.facts).toEqual([{ name: "Before, followers", value: "11,980" }]);
  expect((golden.billed()["info-batch"] ?? 0) - before).toBe(3);
});

it("profile tells a bio that was emptied, and nothing of one that an answer leaves out", async () => {
  const golden = await startGolden("profile", { accounts: ["acme"] });
  golden.control("POST", "faults", { name: "odd_fields", times: 2 });
  await golden.minutes(10);
  expect(await golden.told()).toEqual([]);
  golden.control("POST", "accounts", { username: "acme", description: "" });
  await golden.minutes(2);
  const [told, ...more] = await golden.told();
  expect(more).toEqual([]);
  expect(told?.event.body).toMatchObject({ changed: ["description"], previous: { description: "Tools for teams that ship." } });
});
