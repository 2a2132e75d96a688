import { expect, it } from "vitest";
import { startWatchFixture } from "./watch-fixture.ts";

it("space reports that it went live and that it ended, each once, and listeners that crossed", async () => {
  const fixture = await startWatchFixture("space", {
    space: "https://x.com/i/spaces/1GlVzaGpR3111",
  });
  await fixture.minutes(30);
  await fixture.minutes(90);
  const alerts = await fixture.alerts();
  expect(
    alerts.map(({ message }) => message.title.replace(/^A Space by .* \(@\w+\)/, "…")),
  ).toEqual(["… is live", "… has ended"]);
  expect(alerts[0]?.event).toMatchObject({ type: "space.changed", subject: "1GlVzaGpR3111" });
  expect(alerts[0]?.event.body).toMatchObject({
    user: { username: alerts[0]?.event.labels["author"] },
    space: {
      id: "1GlVzaGpR3111",
      state: "Running",
      title: expect.stringMatching(/^Talking about/),
    },
    previous: { state: "NotStarted" },
    changed: ["state"],
  });
  expect(alerts[0]?.message).toMatchObject({
    url: "https://x.com/i/spaces/1GlVzaGpR3111",
    body: expect.stringMatching(/^Talking about/),
  });
});

it("space reports listeners that crossed, and not again before they came back", async () => {
  const fixture = await startWatchFixture("space", {
    space: "1v1eXOdyn2111",
    when: { listeners: "< 200" },
  });
  await fixture.minutes(60);
  const alerts = await fixture.alerts();
  expect(alerts.length).toBeGreaterThan(0);
  for (const { event, message } of alerts) {
    expect(event.body).toMatchObject({ crossed: ["listeners"], changed: [] });
    expect(message.title).toMatch(/fell to 1\d\d listeners$/);
  }
});
