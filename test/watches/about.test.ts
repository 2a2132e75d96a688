import { expect, it } from "vitest";
import { startWatchFixture } from "./watch-fixture.ts";

it("about reports a change of the handle, once, with how many there were", async () => {
  const fixture = await startWatchFixture("about", { accounts: ["acme"] });
  fixture.control("POST", "accounts", { username: "acme", rename_to: "acme_hq" });
  await fixture.minutes(3);
  const [alerts, ...more] = await fixture.alerts();
  expect(more).toEqual([]);
  expect(alerts?.event).toMatchObject({
    type: "about.changed",
    labels: { target: "acme", author: "acme_hq" },
  });
  expect(alerts?.event.body).toMatchObject({
    about: { username_change_count: 1 },
    previous: { username_change_count: 0 },
    crossed: ["username_change_count"],
    changed: [],
  });
  expect(alerts?.message).toMatchObject({
    title: expect.stringMatching(/\(@acme_hq\) changed the handle for the first time$/),
    url: "https://x.com/acme_hq",
  });
});
