/**
 * Tests the ops alerts about accounts that cannot be read, can be read again, or have another
 * handle: each is sent once, bundled, and true.
 */
import { expect, it } from "vitest";
import { type InnerDaemon, startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NAMES = ["one", "two", "three"];

const setUp = async (watches: object) => {
  const daemon = await startInnerDaemon({
    watches: () => watches,
    prepare: async (control) => {
      for (const username of [...NAMES, "hub"]) {
        await control("accounts", { username });
        await control("tweets", { username, text: "an old one" });
      }
    },
  });
  await daemon.clock.advance(10 * MINUTE);
  expect(daemon.opsAlerts()).toEqual([]);
  return daemon;
};

const alerted = (daemon: InnerDaemon) =>
  daemon.opsAlerts().map(({ type, message }) => `${type} ${message}`);
const each = (daemon: InnerDaemon, change: object) =>
  Promise.all(NAMES.map((username) => daemon.control("accounts", { username, ...change })));

const posts = { type: "timeline", accounts: NAMES, strategy: "single", schedule: "@every 4m" };
const slower = {
  type: "timeline",
  accounts: NAMES,
  strategy: "single",
  include: { replies: true },
  max_pages: 3,
  schedule: "@every 7m",
};
const names = { type: "profile", accounts: NAMES, schedule: "@every 5m" };
const fans = { type: "followers", accounts: NAMES, schedule: "@every 10m" };

it("a suspension is reported once an account, however many watches it is in, and so is its end, over restarts", async () => {
  const daemon = await setUp({ posts, slower, fans, names });
  await each(daemon, { suspended: true });
  await daemon.clock.advance(HOUR);
  await daemon.stop();
  await daemon.start();
  await daemon.clock.advance(HOUR);
  const lost = alerted(daemon);
  for (const name of NAMES) expect(lost.filter((one) => one.includes(name))).toHaveLength(1);
  expect(
    lost.every(
      (one) =>
        one.startsWith("target.unavailable ") &&
        one.endsWith("the account is deleted or suspended"),
    ),
  ).toBe(true);

  await each(daemon, { suspended: false });
  await daemon.clock.advance(HOUR);
  await daemon.stop();
  await daemon.start();
  await daemon.clock.advance(2 * HOUR);
  const back = alerted(daemon).slice(lost.length);
  for (const name of NAMES) expect(back.filter((one) => one.includes(name))).toHaveLength(1);
  expect(
    back.every((one) => one.startsWith("target.available ") && one.endsWith("can be read again")),
  ).toBe(true);
  const { watches } = await daemon.status();
  expect(watches.flatMap(({ targets }) => targets.map(({ status }) => status))).toEqual(
    Array.from({ length: 12 }, () => "ok"),
  );
});

it("what is found about many accounts within a minute goes out as one message, and a rename is no loss", async () => {
  const daemon = await setUp({ posts, slower, fans });
  for (const username of NAMES) {
    await daemon.control("accounts", { username, rename_to: `${username}_new` });
    await daemon.control("tweets", { username: `${username}_new`, text: "still me" });
  }
  await daemon.clock.advance(90 * MINUTE);
  expect(alerted(daemon).sort()).toEqual(
    NAMES.map(
      (name) =>
        `target.renamed posts, slower, fans: @${name} was renamed to @${name}_new and is followed by its id`,
    ).sort(),
  );
  expect(daemon.opsMessages()).toBe(1);
  expect(daemon.hook.events().filter(({ type }) => type === "tweet.created")).toHaveLength(6);
});

it("an account that a check asks about is named as the cause when it is gone, once, and not those that are checked", async () => {
  const daemon = await setUp({
    checks: {
      type: "membership",
      check: "follow",
      accounts: NAMES,
      account: "hub",
      schedule: "@every 10m",
    },
  });
  await daemon.control("accounts", { username: "hub", suspended: true });
  await daemon.clock.advance(2 * HOUR);
  expect(alerted(daemon)).toEqual([
    "target.unavailable checks: nothing can be read: hub, which the watch asks about, is deleted or suspended",
  ]);
  await daemon.control("accounts", { username: "hub", suspended: false });
  await daemon.clock.advance(2 * HOUR);
  expect(alerted(daemon).slice(1).join()).toMatch(/^target.available checks: .*can be read again$/);
});

it("an account that a check asks about and that nobody has is reported at once, and read when it is there", async () => {
  const checks = {
    type: "membership",
    check: "follow",
    accounts: ["one"],
    account: "not_yet_there",
    schedule: "@every 10m",
  };
  const daemon = await startInnerDaemon({
    watches: () => ({ checks }),
    prepare: (control) => control("accounts", { username: "one" }),
  });
  await daemon.clock.advance(5 * MINUTE);
  expect(alerted(daemon)).toEqual([
    "target.unavailable checks: nothing can be read: no account has the handle @not_yet_there, which the watch asks about",
  ]);
  await daemon.control("accounts", { username: "not_yet_there" });
  await daemon.clock.advance(2 * HOUR);
  expect(alerted(daemon).slice(1)).toEqual(["target.available checks: one can be read now"]);
  await daemon.control("follows", { follower: "one", target: "not_yet_there" });
  await daemon.clock.advance(HOUR);
  expect(daemon.hook.events().map(({ type }) => type)).toEqual(["membership.changed"]);
});

it("an ignored author stays ignored under another handle, and whoever takes the old one is not", async () => {
  const daemon = await startInnerDaemon({
    watches: () => ({
      w: {
        type: "search",
        query: "zebra",
        ignore: { authors: ["noisy", "nobody_at_all"] },
        schedule: "@every 5m",
      },
    }),
    prepare: (control) => control("accounts", { username: "noisy" }),
  });
  await daemon.clock.advance(10 * MINUTE);
  await daemon.control("accounts", { username: "noisy", rename_to: "noisy_too" });
  await daemon.control("tweets", { username: "noisy_too", text: "a zebra" });
  await daemon.control("accounts", { username: "noisy" });
  const { ids } = await daemon.control("tweets", { username: "noisy", text: "a zebra of my own" });
  await daemon.stop();
  await daemon.start();
  await daemon.clock.advance(2 * HOUR);
  expect(daemon.hook.subjects()).toEqual(ids);
  expect(daemon.opsAlerts()).toEqual([]);
  expect((await daemon.control("requests")).billed_by_endpoint["info-batch"]).toBeLessThanOrEqual(
    2,
  );
});
