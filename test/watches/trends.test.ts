import { expect, it } from "vitest";
import { startGolden } from "./golden-rig.ts";

it("trends tells what entered, left and moved as the hour turns, and nothing within the hour", async () => {
  const golden = await startGolden("trends", { woeid: 1, top: 5, tell: ["entered", "left", "moved"], move_by: 2 });
  await golden.minutes(50);
  expect(await golden.told()).toEqual([]);
  await golden.minutes(60);
  const told = await golden.told();
  expect(told.map(({ message }) => message.title)).toEqual([
    "city cycling rose from number 4 to 2 of the trends worldwide",
    "satellites rose from number 5 to 3 of the trends worldwide",
    "wallets fell from number 2 to 4 of the trends worldwide",
    "sourdough is trending at number 5 worldwide",
    "typography is no longer trending worldwide (it was number 3)",
  ]);
  const [moved, , , entered, left] = told;
  expect(moved?.event).toMatchObject({ type: "trend.moved", subject: "1/city cycling", labels: { target: "1" } });
  expect(entered?.event.body).toEqual({
    trend: { name: "sourdough", query: '"sourdough"', url: entered?.message.url, rank: 5 },
    previous: { rank: null },
  });
  expect(left?.event).toMatchObject({ type: "trend.left", body: { trend: { name: "typography", rank: null }, previous: { rank: 3 } } });
});
