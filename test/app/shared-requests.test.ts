/**
 * Tests watches that share their requests, in the whole daemon beside the sandbox: their cost,
 * counted in ticks of two seconds.
 */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const TICK = 2 * SECOND;
const WORDS = ["zyxacme", "zyxbolt", "zyxcrane", "zyxdelta"] as const;
const namesOf = (what: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${what}_${index}`);

/** Starts accounts with old tweets and watches of them, and returns after the first reads. */
async function setup(
  accounts: readonly string[],
  watches: Readonly<Record<string, object>>,
  follows: readonly string[] = [],
) {
  const daemon = await startInnerDaemon({
    watches: () =>
      Object.fromEntries(
        Object.entries(watches).map(([id, watch]) => [id, { schedule: "@every 2s", ...watch }]),
      ),
    async prepare(control) {
      for (const username of [...accounts, ...follows])
        await control("accounts", { username, indexed: true });
      for (const username of accounts) {
        await control("tweets", { username, text: `an old one ${WORDS.join(" ")}`, count: 2 });
        for (const follower of [follows[0], follows[3]])
          if (follower !== undefined) await control("follows", { follower, target: username });
      }
    },
  });
  const { clock, control, hook } = daemon;
  await clock.advance(20 * SECOND);
  expect(hook.events()).toEqual([]);
  const asked = async (endpoint: string): Promise<number> =>
    (await control("requests")).billed_by_endpoint[endpoint] ?? 0;
  return {
    ...daemon,
    asked,
    post: async (username: string | undefined, text: string): Promise<string> =>
      (await control("tweets", { username, text })).ids[0],
    alerted: () =>
      hook
        .events()
        .map(({ watch, subject }) => `${watch} ${subject}`)
        .sort(),
    alertedTypes: () =>
      hook
        .events()
        .map(({ watch, type }) => `${watch} ${type}`)
        .sort(),
    /** Returns the requests within this many ticks. */
    async inTicks(count: number, endpoint: string): Promise<number> {
      const before = await asked(endpoint);
      await clock.advance(count * TICK);
      return (await asked(endpoint)) - before;
    },
  };
}

it("four plain searches cost one request a tick, and each reports its own", async () => {
  const [author, other] = namesOf("author", 2);
  const watches = Object.fromEntries(
    WORDS.map((word) => [word, { type: "search", query: word, full_poll_every: "12h" }]),
  );
  const { clock, asked, alerted, inTicks, post } = await setup(
    [author ?? "", other ?? ""],
    watches,
  );
  expect(await asked("search-tweets")).toBeGreaterThanOrEqual(WORDS.length);
  const both = await post(author, `${WORDS[0]} and ${WORDS[2]}`);
  const one = await post(other, `only ${WORDS[3]}`);
  await clock.advance(10 * SECOND);
  expect(alerted()).toEqual(
    [`${WORDS[0]} ${both}`, `${WORDS[2]} ${both}`, `${WORDS[3]} ${one}`].sort(),
  );
  expect(await inTicks(10, "search-tweets")).toBe(10);
});

it("timelines and profiles of the same accounts cost one request a tick", async () => {
  const accounts = namesOf("author", 4);
  const { clock, alerted, inTicks, post } = await setup(accounts, {
    posts: { type: "timeline", accounts },
    names: { type: "profile", accounts },
  });
  expect(await inTicks(10, "info-batch")).toBe(10);
  const id = await post(accounts[1], "a new one");
  await clock.advance(10 * SECOND);
  expect(alerted()).toEqual([`posts ${id}`]);
});

it("eight timelines cost one request a tick, and their news one search", async () => {
  const accounts = namesOf("author", 8);
  const { clock, asked, alerted, inTicks, post } = await setup(accounts, {
    half: { type: "timeline", accounts: accounts.slice(0, 4) },
    all: { type: "timeline", accounts },
    fresh: { type: "timeline", accounts: accounts.slice(6).map((name) => `https://x.com/${name}`) },
  });
  // Each account was read on its own once, at the start.
  expect(await asked("user-tweets")).toBe(accounts.length);
  const posted = [await post(accounts[1], "a new one"), await post(accounts[5], "a new one")];
  await clock.advance(10 * SECOND);
  expect(alerted()).toEqual([...posted.map((id) => `all ${id}`), `half ${posted[0]}`].sort());
  expect(await asked("search-tweets")).toBeGreaterThanOrEqual(1);
  expect(await inTicks(10, "info-batch")).toBe(10);
  expect(await asked("user-tweets")).toBe(accounts.length);
});

it("six follower lists, timelines and profiles cost one request a tick, and a change one read", async () => {
  const [accounts, fans] = [namesOf("watched", 6), namesOf("fan", 4)];
  const watches = {
    fans: { type: "new_followers", accounts, source: "all" },
    leavers: {
      type: "followers",
      accounts: accounts.slice(0, 3),
      strategy: "probe",
      full_poll_every: "12h",
    },
    posts: { type: "timeline", accounts },
    names: { type: "profile", accounts },
  };
  const { clock, control, asked, alertedTypes, inTicks } = await setup(accounts, watches, fans);
  const reads = await asked("followers");
  expect(await inTicks(10, "info-batch")).toBe(10);
  expect(await asked("followers")).toBe(reads);

  await control("follows", { follower: fans[1], target: accounts[4] });
  await clock.advance(10 * SECOND);
  expect(alertedTypes()).toEqual(["fans follower.added"]);
  expect(await asked("followers")).toBe(reads + 1);
  await control("follows", { follower: fans[0], target: accounts[1] }, "DELETE");
  await clock.advance(20 * SECOND);
  expect(alertedTypes()).toEqual(["fans follower.added", "leavers follower.removed"]);
  await control("follows", { follower: fans[2], target: accounts[1] });
  await clock.advance(20 * SECOND);
  expect(alertedTypes()).toEqual([
    "fans follower.added",
    "fans follower.added",
    "leavers follower.added",
    "leavers follower.removed",
  ]);
});
