/**
 * Tests edits of a running daemon's file: memory of something else raises no alert, and the log
 * says what became of it.
 */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;

it("another account to ask about, and other ranks that count, are baselines: they raise no alert", async () => {
  let [account, top] = ["hub", 2];
  const daemon = await startInnerDaemon({
    watches: () => ({
      checks: {
        type: "membership",
        check: "follow",
        accounts: ["fan"],
        account,
        schedule: "@every 5m",
      },
      trends: { type: "trends", woeid: 1, top, schedule: "@every 5m" },
    }),
    prepare: async (control) => {
      for (const username of ["fan", "hub", "other"]) await control("accounts", { username });
      await control("follows", { target: "hub", follower: "fan" });
      await control("trends", { woeid: 1, names: ["a", "b", "c", "d", "e"] });
    },
  });
  await daemon.clock.advance(20 * MINUTE);
  [account, top] = ["other", 4];
  await daemon.reload();
  await daemon.clock.advance(20 * MINUTE);
  expect(daemon.hook.events()).toEqual([]);
  expect(
    daemon.logged.find(({ message }) => message === "configuration reloaded")?.fields,
  ).toMatchObject({
    memory: [
      "checks: account: new baseline (it asks about a different one)",
      "trends: top: new baseline (different ranks count)",
    ],
  });
  await daemon.control("follows", { target: "other", follower: "fan" });
  await daemon.control("trends", { woeid: 1, names: ["a", "b", "c", "x", "e"] });
  await daemon.clock.advance(10 * MINUTE);
  expect(daemon.hook.events().map(({ type }) => type)).toEqual(
    expect.arrayContaining(["membership.changed", "trend.entered"]),
  );
});
