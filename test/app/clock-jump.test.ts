/** A wall clock that is set forward while the daemon runs: what waits for a time that has come goes out at once. */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

it("fault 71: an alert that waits for its next attempt, and a poll that waits for its tick, wait no longer when the clock is set forward", async () => {
  const { clock, control, hook, status } = await startInnerDaemon({
    watches: () => ({
      w: { type: "search", query: "zebra", schedule: "@every 10s" },
      slow: { type: "search", query: "giraffe", schedule: "@every 1h" },
    }),
    prepare: (ask) => ask("accounts", { username: "loud_one" }),
  });
  hook.answer((_, response) => response.writeHead(503).end("later"));
  await clock.advance(30 * SECOND);
  await control("tweets", { username: "loud_one", text: "a new zebra" });
  await clock.advance(10 * MINUTE + 2 * SECOND);
  await control("tweets", { username: "loud_one", text: "a new giraffe" });
  hook.answer((_, response) => response.writeHead(204).end());
  const attempts = hook.messages().length;
  expect(Date.parse((await status()).sinks[0]?.next_attempt_at ?? "") - clock.now()).toBeGreaterThan(10 * SECOND);
  clock.jump(HOUR);
  await clock.advance(3 * SECOND);
  expect(
    hook
      .events()
      .slice(attempts)
      .map(({ watch }) => watch)
      .sort(),
  ).toEqual(["slow", "w"]);
});
