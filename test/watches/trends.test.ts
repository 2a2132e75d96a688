import { expect, it } from "vitest";
import { startWatchFixture } from "./watch-fixture.ts";

it("trends reports what entered, left and moved as the hour turns, and nothing within the hour", async () => {
  const fixture = await startWatchFixture("trends", {
    woeid: 1,
    top: 5,
    tell: ["entered", "left", "moved"],
    move_by: 2,
  });
  await fixture.minutes(50);
  expect(await fixture.alerts()).toEqual([]);
  await fixture.minutes(180);
  const alerts = await fixture.alerts();
  expect(alerts.map(({ message }) => message.title)).toEqual([
    "treasury bonds rose from number 5 to 1 of the trends worldwide",
    "chess fell from number 2 to 4 of the trends worldwide",
    "open source is trending at number 5 worldwide",
    "governance is no longer trending worldwide (it was number 3)",
    "climate data is trending at number 5 worldwide",
    "chess is no longer trending worldwide (it was number 4)",
  ]);
  const [moved, , entered, left] = alerts;
  expect(moved?.event).toMatchObject({
    type: "trend.moved",
    subject: "1/treasury bonds",
    labels: { target: "1" },
  });
  expect(entered?.event.body).toEqual({
    trend: { name: "open source", query: '"open source"', url: entered?.message.url, rank: 5 },
    previous: { rank: null },
  });
  expect(left?.event).toMatchObject({
    type: "trend.left",
    body: { trend: { name: "governance", rank: null }, previous: { rank: 3 } },
  });
});
