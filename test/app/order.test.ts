/**
 * Alerts on one subject reach a webhook, which takes several messages at once, in the order in
 * which they came about.
 */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;

it("a second change of an account waits for the alert on the first, which the sink refuses for a while", async () => {
  const { hook, clock, control } = await startInnerDaemon({
    watches: () => ({
      w: { type: "profile", accounts: ["moving_one", "other_one"], schedule: "@every 2s" },
    }),
    prepare: async (ask) => {
      for (const username of ["moving_one", "other_one"]) await ask("accounts", { username });
    },
  });
  await clock.advance(30 * SECOND);
  // Less than what opens the sink's breaker: the first message waits for its fifth attempt, and the
  // sink takes what is new.
  let refusals = 4;
  hook.answer((_, response) => response.writeHead(refusals-- > 0 ? 503 : 204).end());
  await control("accounts", { username: "moving_one", rename_to: "moved_one" });
  await clock.advance(10 * SECOND);
  expect(refusals).toBe(0);
  await control("accounts", { username: "moved_one", rename_to: "moved_again" });
  await control("accounts", { username: "other_one", rename_to: "another_one" });
  await clock.advance(60 * SECOND);
  const accepted = hook.events().slice(4);
  expect(accepted.map(({ data }) => data.user.username)).toEqual([
    "another_one",
    "moved_one",
    "moved_again",
  ]);
});
