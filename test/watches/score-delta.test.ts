import { expect, it } from "vitest";
import { startWatchFixture } from "./watch-fixture.ts";

const crossing = async (settings: object) => {
  const fixture = await startWatchFixture("score_delta", (control) => {
    control("POST", "scores", { username: "acme", week_delta: 3 });
    return { accounts: ["acme"], when: { week_delta: ">= 25" }, ...settings };
  });
  expect(await fixture.alerts()).toEqual([]);
  fixture.control("POST", "scores", { username: "acme", week_delta: 40 });
  await fixture.minutes(3);
  const [alerts, ...more] = await fixture.alerts();
  expect(more).toEqual([]);
  expect(alerts?.event).toMatchObject({
    type: "score.changed",
    labels: { author: "acme" },
    body: { score: { week_delta: 40 }, previous: { week_delta: 3 } },
  });
  expect(alerts?.message.title).toMatch(/\(@acme\): score \+40 in a week/);
  return { fixture, alerts };
};

it("score_delta reports a move that crossed, once, and asks for the deltas alone", async () => {
  const { fixture, alerts } = await crossing({});
  expect(fixture.billed()["score"]).toBeUndefined();
  expect(alerts?.event.body).not.toHaveProperty("present");
});

it("score_delta says what the score is now where that is wanted: one request, for the alert alone", async () => {
  const { fixture, alerts } = await crossing({ present_score: true });
  expect(fixture.billed()["score"]).toBe(1);
  const { score } = (alerts?.event.body["present"] ?? {}) as { readonly score?: number };
  expect(score).toBeGreaterThan(0);
  expect(alerts?.message.facts[0]?.name).toBe("Score now");
});
