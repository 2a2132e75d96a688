import { expect, it } from "vitest";
import { startGolden } from "./golden-rig.ts";

const crossing = async (settings: object) => {
  const golden = await startGolden("score_delta", (control) => {
    control("POST", "scores", { username: "acme", week_delta: 3 });
    return { accounts: ["acme"], when: { week_delta: ">= 25" }, ...settings };
  });
  expect(await golden.told()).toEqual([]);
  golden.control("POST", "scores", { username: "acme", week_delta: 40 });
  await golden.minutes(3);
  const [told, ...more] = await golden.told();
  expect(more).toEqual([]);
  expect(told?.event).toMatchObject({
    type: "score.changed",
    labels: { author: "acme" },
    body: { score: { week_delta: 40 }, previous: { week_delta: 3 } },
  });
  expect(told?.message.title).toMatch(/\(@acme\): score \+40 in a week/);
  return { golden, told };
};

it("score_delta tells a move that crossed, once, and asks for the deltas alone", async () => {
  const { golden, told } = await crossing({});
  expect(golden.billed()["score"]).toBeUndefined();
  expect(told?.event.body).not.toHaveProperty("present");
});

it("score_delta says what the score is now where that is wanted: one request, for the alert alone", async () => {
  const { golden, told } = await crossing({ present_score: true });
  expect(golden.billed()["score"]).toBe(1);
  const { score } = (told?.event.body["present"] ?? {}) as { readonly score?: number };
  expect(score).toBeGreaterThan(0);
  expect(told?.message.facts[0]?.name).toBe("Score now");
});
