import { expect, it } from "vitest";
import { startGolden } from "./golden-rig.ts";

it("about tells a change of the handle, once, with how many there were", async () => {
  const golden = await startGolden("about", { accounts: ["acme"] });
  golden.control("POST", "accounts", { username: "acme", rename_to: "acme_hq" });
  await golden.minutes(3);
  const [told, ...more] = await golden.told();
  expect(more).toEqual([]);
  expect(told?.event).toMatchObject({ type: "about.changed", labels: { target: "acme", author: "acme_hq" } });
  expect(told?.event.body).toMatchObject({
    about: { username_change_count: 1 },
    previous: { username_change_count: 0 },
    crossed: ["username_change_count"],
    changed: [],
  });
  expect(told?.message).toMatchObject({
    title: expect.stringMatching(/\(@acme_hq\) changed the handle for the first time$/),
    url: "https://x.com/acme_hq",
  });
});
