/** Accounts that come and go: the last word in a chat is true, and one that does nothing else all day is one line. */
import { expect, it } from "vitest";
import { type InnerDaemon, startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const setUp = () =>
  startInnerDaemon({
    watches: () => ({ fans: { type: "followers", accounts: ["hub"], schedule: "@every 20m" } }),
    chat: true,
    prepare: async (control) => {
      for (const username of ["hub", "steady", "flip", "flop"]) await control("accounts", { username });
      await control("follows", { target: "hub", follower: "steady" });
    },
  });

/** They come and go in turn, `count` times from the `from`th on, an hour apart. */
async function change({ control, clock }: InnerDaemon, followers: readonly string[], from: number, count: number): Promise<void> {
  for (let n = from; n < from + count; n += 1) {
    for (const follower of followers) await control("follows", { target: "hub", follower }, n % 2 === 0 ? "POST" : "DELETE");
    await clock.advance(HOUR);
  }
}

const titles = (daemon: InnerDaemon) => daemon.chat().map((text) => (text.split("\n")[0] ?? "").replace(/: .* \(/, ": ("));
const [COME, GO] = ["@hub has a new follower: (@flip)", "@hub lost a follower: (@flip)"];

it("a follow after an unfollow is reported as well", async () => {
  const daemon = await setUp();
  await daemon.clock.advance(30 * MINUTE);
  await change(daemon, ["flip"], 0, 3);
  expect(titles(daemon)).toEqual([COME, GO, COME]);
  expect(daemon.hook.events().map(({ type }) => type)).toEqual(["follower.added", "follower.removed", "follower.added"]);
});

it("what comes after three changes within a day is one line, with the last of them, over a restart", async () => {
  const daemon = await setUp();
  await daemon.clock.advance(30 * MINUTE);
  await change(daemon, ["flip"], 0, 6);
  await daemon.stop();
  await daemon.start();
  await change(daemon, ["flip"], 6, 2);
  expect(titles(daemon)).toEqual([COME, GO, COME]);
  await daemon.clock.advance(17 * HOUR);
  expect(titles(daemon)).toEqual([COME, GO, COME, `${GO}, the last of 5 changes since the alert before`]);
  expect(daemon.hook.events()).toHaveLength(8);
});

it("accounts that come and go at one target share the message, a line each", async () => {
  const daemon = await setUp();
  await daemon.clock.advance(30 * MINUTE);
  await change(daemon, ["flip", "flop"], 0, 5);
  const before = daemon.chat().length;
  await daemon.clock.advance(24 * HOUR);
  const [summary = "", ...more] = daemon.chat().slice(before);
  expect(more).toEqual([]);
  expect(summary.match(/has a new follower: [^\n]*the last of 2 changes/g)).toHaveLength(2);
});
