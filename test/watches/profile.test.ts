import { expect, it } from "vitest";
import { startWatchFixture } from "./watch-fixture.ts";

it("profile reports a rename with what it was, once, and follows the account on", async () => {
  const fixture = await startWatchFixture("profile", { accounts: ["acme", "rival"] });
  expect(await fixture.alerts()).toEqual([]);
  const { id } = fixture.control("POST", "accounts", { username: "acme", rename_to: "acme_hq" });
  await fixture.minutes(3);
  const [alerts, ...more] = await fixture.alerts();
  expect(more).toEqual([]);
  expect(alerts?.event).toMatchObject({
    type: "profile.changed",
    subject: id,
    labels: { target: "acme", author: "acme_hq" },
  });
  expect(alerts?.event.body).toMatchObject({
    user: { id, username: "acme_hq" },
    previous: { username: "acme" },
    crossed: [],
    changed: ["username"],
  });
  expect(alerts?.message).toMatchObject({
    title: "@acme is now @acme_hq",
    body: "Handle: acme → acme_hq",
    url: "https://x.com/acme_hq",
  });
  const [watch] = await fixture.harness.store.listWatches();
  expect(watch?.targets.map(({ name, username }) => [name, username])).toEqual([
    ["acme", "acme_hq"],
    ["rival", "rival"],
  ]);
});

it("profile reports a count at every step, once, in one request for all accounts", async () => {
  const fixture = await startWatchFixture("profile", (control) => {
    control("POST", "accounts", { username: "acme", followers_count: 11_980 });
    return { accounts: ["acme", "rival"], fields: [], when: { followers_count: "every 1000" } };
  });
  const before = fixture.billed()["info-batch"] ?? 0;
  for (const count of [12_034, 11_990, 12_100]) {
    fixture.control("POST", "accounts", { username: "acme", followers_count: count });
    await fixture.minutes(1);
  }
  const alerts = await fixture.alerts();
  expect(alerts.map(({ message }) => message.title)).toEqual([
    expect.stringMatching(/\(@acme\) reached 12,034 followers$/),
  ]);
  expect(alerts[0]?.event).toMatchObject({
    type: "profile.threshold",
    body: { crossed: ["followers_count"], changed: [] },
  });
  expect(alerts[0]?.message.facts).toEqual([{ name: "Before", value: "11,980 followers" }]);
  expect((fixture.billed()["info-batch"] ?? 0) - before).toBe(3);
});

it("profile reports a bio that was emptied, and nothing of one that an answer leaves out", async () => {
  const fixture = await startWatchFixture("profile", { accounts: ["acme"] });
  fixture.control("POST", "faults", { name: "odd_fields", times: 2 });
  await fixture.minutes(10);
  expect(await fixture.alerts()).toEqual([]);
  fixture.control("POST", "accounts", { username: "acme", description: "" });
  await fixture.minutes(2);
  const [alerts, ...more] = await fixture.alerts();
  expect(more).toEqual([]);
  expect(alerts?.event.body).toMatchObject({
    changed: ["description"],
    previous: { description: "Tools for teams that ship." },
  });
});
