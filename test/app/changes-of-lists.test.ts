/**
 * Tests accounts that come and go: the last message in a chat is true, and an account that does
 * nothing else all day takes one line.
 */
import { expect, it } from "vitest";
import { type InnerDaemon, startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const setUp = () =>
  startInnerDaemon({
    watches: () => ({ fans: { type: "followers", accounts: ["hub"], schedule: "@every 20m" } }),
    chat: true,
    prepare: async (control) => {
      for (const username of ["hub", "steady", "flip", "flop"])
        await control("accounts", { username });
      await control("follows", { target: "hub", follower: "steady" });
    },
  });

/** Makes `count` accounts join or leave in turn, an hour apart, from the `from`th on. */
async function change(
  { control, clock }: InnerDaemon,
  followers: readonly string[],
  from: number,
  count: number,
): Promise<void> {
  for (let n = from; n < from + count; n += 1) {
    for (const follower of followers)
      await control("follows", { target: "hub", follower }, n % 2 === 0 ? "POST" : "DELETE");
    await clock.advance(HOUR);
  }
}

const titles = (daemon: InnerDaemon) =>
  daemon.chat().map((text) => (text.split("\n")[0] ?? "").replace(/: .* \(/, ": ("));
const comes = (who: string) => `@hub has a new follower: (@${who})`;
const goes = (who: string) => `@hub lost a follower: (@${who})`;

it("a follow after an unfollow is reported as well; what comes after three changes within a day is a line with the last of them, over a restart, in a message for all accounts", async () => {
  const daemon = await setUp();
  await daemon.clock.advance(30 * MINUTE);
  await change(daemon, ["flip"], 0, 4);
  const shown = [comes("flip"), goes("flip"), comes("flip")];
  expect(titles(daemon)).toEqual(shown);
  expect(daemon.hook.events().map(({ type }) => type)).toEqual([
    "follower.added",
    "follower.removed",
    "follower.added",
    "follower.removed",
  ]);
  await change(daemon, ["flip", "flop"], 4, 3);
  await daemon.stop();
  await daemon.start();
  await change(daemon, ["flip", "flop"], 7, 3);
  expect(titles(daemon)).toEqual([...shown, comes("flop"), goes("flop"), comes("flop")]);
  await daemon.clock.advance(24 * HOUR);
  const [summary = "", ...more] = daemon.chat().slice(6);
  expect(more).toEqual([]);
  expect(summary.split("\n").slice(0, 3)).toEqual([
    "2 accounts no longer follow @hub",
    expect.stringMatching(/\(@flip\) .* 7 changes$/),
    expect.stringMatching(/\(@flop\) .* 3 changes$/),
  ]);
  expect(daemon.hook.events()).toHaveLength(10 + 6);
});
