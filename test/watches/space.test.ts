import { expect, it } from "vitest";
import { startGolden } from "./golden-rig.ts";

it("space tells that it went live and that it ended, each once, and listeners that crossed", async () => {
  const golden = await startGolden("space", { space: "https://x.com/i/spaces/1GlVzaGpR3111" });
  await golden.minutes(30);
  await golden.minutes(90);
  const told = await golden.told();
  expect(told.map(({ message }) => message.title.replace(/^A Space by .* \(@\w+\)/, "…"))).toEqual(["… is live", "… has ended"]);
  expect(told[0]?.event).toMatchObject({ type: "space.changed", subject: "1GlVzaGpR3111" });
  expect(told[0]?.event.body).toMatchObject({
    user: { username: told[0]?.event.labels["author"] },
    space: { id: "1GlVzaGpR3111", state: "Running", title: expect.stringMatching(/^Talking about/) },
    previous: { state: "NotStarted" },
    changed: ["state"],
  });
  expect(told[0]?.message).toMatchObject({ url: "https://x.com/i/spaces/1GlVzaGpR3111", body: expect.stringMatching(/^Talking about/) });
});

it("space tells listeners that crossed, and not again before they came back", async () => {
  const golden = await startGolden("space", { space: "1v1eXOdyn2111", when: { listeners: "< 200" } });
  await golden.minutes(60);
  const told = await golden.told();
  expect(told.length).toBeGreaterThan(0);
  for (const { event, message } of told) {
    expect(event.body).toMatchObject({ crossed: ["listeners"], changed: [] });
    expect(message.title).toMatch(/fell to 1\d\d listeners$/);
  }
});
