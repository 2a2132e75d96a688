/**
 * Tests an item about which nothing is stored: `explain` says for each watch whether it could have
 * seen the item, and why it did not.
 */
import { describe, expect, it } from "vitest";
import { formatUnseen } from "../../../src/cli/inspect/unseen-text.ts";
import { tweetIdAt } from "../../../src/model/id.ts";
import type { UnseenView } from "../../../src/server/schema/explain-view.ts";
import { type InnerDaemon, startInnerDaemon } from "../../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 86_400 * SECOND;

const setUp = async (watches: object): Promise<InnerDaemon> => {
  const daemon = await startInnerDaemon({
    watches: () => watches,
    prepare: (ask) => ask("accounts", { username: "loud_one" }),
  });
  await daemon.clock.advance(30 * SECOND);
  await daemon.control("tweets", { username: "loud_one", text: "a new zebra" });
  await daemon.clock.advance(2 * MINUTE);
  return daemon;
};

const unseen = async (daemon: InnerDaemon, item: string): Promise<UnseenView> =>
  (await daemon.call(`explain/${encodeURIComponent(item)}`)).unseen;

const reasons = async (daemon: InnerDaemon, item: string) =>
  Object.fromEntries(
    (await unseen(daemon, item)).watches.map(({ watch, reason }) => [watch, reason]),
  );

const ZEBRA = { type: "search", query: "zebra", schedule: "@every 10s" };

describe("a tweet that nobody saw", () => {
  it("was read past by a search that it does not match, and is not read by others", async () => {
    const daemon = await setUp({
      zebra: ZEBRA,
      off: { ...ZEBRA, enabled: false },
      loud: { type: "timeline", accounts: ["loud_one"], schedule: "@every 10s" },
      crowd: { type: "new_followers", accounts: ["loud_one"], schedule: "@every 10m" },
    });
    await daemon.call("watches/off/pause", "POST");
    const id = tweetIdAt(daemon.clock.now() - 2 * MINUTE + 5 * SECOND);
    const view = await unseen(daemon, `https://x.com/someone/status/${id}`);
    expect(view).toMatchObject({
      posted_at: expect.stringContaining("2026-03-06T13:") as string,
      is_forgotten: false,
      more: 0,
    });
    expect(view.watches.map(({ watch, could_see: could }) => [watch, could])).toEqual([
      ["zebra", true],
      ["off", true],
      ["loud", false],
      ["crowd", false],
    ]);
    expect(view.watches.map(({ reason }) => reason)).toEqual([
      "tweets of that time were read, but this one was not among them: it does not match zebra, or the service did not show it",
      "it is disabled (`enabled: false`)",
      "it follows @loud_one, not @someone",
      "a new_followers watch reads no new tweets",
    ]);
    expect(formatUnseen(view)).toMatch(
      /^posted {3}2026-03-06 13:\d\d:\d\d \(its id says so\)\nzebra: tweets of that time were read/,
    );
  });

  it("was there before the watch began", async () => {
    const daemon = await setUp({ zebra: ZEBRA });
    const id = tweetIdAt(daemon.clock.now() - DAY);
    expect((await reasons(daemon, id))["zebra"]).toMatch(
      /^the watch began at 2026-03-06T13:.* chirpwatch backfill can read them$/,
    );
  });

  it("came after the last read, or while the watch was paused", async () => {
    const daemon = await setUp({
      zebra: ZEBRA,
      slow: { ...ZEBRA, query: "lion", schedule: "@every 1h" },
    });
    await daemon.call("watches/zebra/pause", "POST");
    const found = await reasons(daemon, tweetIdAt(daemon.clock.now() - 5 * SECOND));
    expect(found["zebra"]).toBe("it is paused");
    expect(found["slow"]).toMatch(
      /^it was last read at 2026-03-06T13:.*, before the tweet was posted$/,
    );
  });

  it("is older than what is kept", async () => {
    const daemon = await setUp({ zebra: ZEBRA });
    const view = await unseen(daemon, tweetIdAt(daemon.clock.now() - 400 * DAY));
    expect(view.is_forgotten).toBe(true);
    expect(formatUnseen(view)).toContain(
      "kept     no: what was seen at that time is older than state.retention",
    );
  });
});

it("an account that nobody saw was not on the lists that were read", async () => {
  const daemon = await setUp({
    crowd: { type: "new_followers", accounts: ["loud_one"], schedule: "@every 30s" },
    zebra: ZEBRA,
  });
  const found = await reasons(daemon, "https://x.com/i/user/99999999");
  expect(found["crowd"]).toMatch(/^no read of its list, last at .* has shown the account$/);
  expect(found["zebra"]).toBe("a search watch reads no list of accounts");
});
