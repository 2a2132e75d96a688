/**
 * Tests that posts of several targets found by one request go out in the order in which they were
 * posted, whoever posted them.
 */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const ACCOUNTS = ["a0", "a1", "a2", "a3"] as const;
/** The order of the authors. No author posts twice in a row. */
const TURNS = [3, 1, 0, 2, 1, 3, 0, 2] as const;

const timelines = {
  w: { type: "timeline", accounts: ACCOUNTS, schedule: "@every 1m", strategy: "probe" },
};
const searches = Object.fromEntries(
  ACCOUNTS.map((name) => [
    name,
    { type: "search", query: name, schedule: "@every 1m", strategy: "merge" },
  ]),
);

it.each([
  ["accounts after a probe", timelines],
  ["searches that share a query", searches],
])("posts of %s go out oldest first", async (_name, watches) => {
  const { clock, control, chat } = await startInnerDaemon({
    watches: () => watches,
    chat: true,
    prepare: async (ask) => {
      for (const username of ACCOUNTS) {
        await ask("accounts", { username, indexed: true });
        await ask("tweets", { username, text: `an old one of ${username}`, count: 2 });
      }
    },
  });
  await clock.advance(3 * MINUTE + 10 * SECOND);
  const posted: string[] = [];
  for (const [n, turn] of TURNS.entries()) {
    posted.push(`news${n}`);
    await control("tweets", { username: ACCOUNTS[turn], text: `news${n} of ${ACCOUNTS[turn]}` });
    await clock.advance(SECOND);
  }
  await clock.advance(3 * MINUTE);
  expect(chat().flatMap((text) => /news\d/.exec(text) ?? [])).toEqual(posted);
});
