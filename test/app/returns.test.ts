/**
 * Tests what happens to items from the time in which a watch was paused, disabled or removed: one
 * digest in a chat, single alerts, or nothing, by `on_return`.
 */
import { describe, expect, it } from "vitest";
import { type InnerDaemon, startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const AWAY = HOUR;
/**
 * Within this time some polls of five minutes are over, and the digest of what they missed is sent.
 */
const SOON = 25 * MINUTE;
const SHORTER_THAN_AWAY = "50m";

const INTERRUPTIONS = ["paused", "disabled", "removed"] as const;
type Interruption = (typeof INTERRUPTIONS)[number];

/**
 * Starts a watch in a daemon with a webhook and a chat. The test can pause, disable or remove it,
 * and bring it back.
 */
async function setUp(
  watch: object,
  prepare: (control: InnerDaemon["control"]) => Promise<unknown>,
) {
  const other = { other: { type: "search", query: "nobody_says_this", schedule: "@every 1h" } };
  let watches: object = { w: watch, ...other };
  const daemon = await startInnerDaemon({ watches: () => watches, chat: true, prepare });
  await daemon.clock.advance(12 * MINUTE);
  expect(daemon.hook.events()).toEqual([]);
  const change = async (next: object) => {
    watches = { ...next, ...other };
    await daemon.reload();
  };
  return {
    ...daemon,
    async leave(interruption: Interruption) {
      if (interruption === "paused") await daemon.call("watches/w/pause", "POST");
      else await change(interruption === "disabled" ? { w: { ...watch, enabled: false } } : {});
    },
    async comeBack(interruption: Interruption, fromNow = "") {
      if (interruption === "paused") return daemon.call(`watches/w/resume${fromNow}`, "POST");
      return change({ w: watch });
    },
    /**
     * Returns the first lines of the messages in the chat, and the number of events at the webhook.
     */
    alerted: () => ({
      chat: daemon.chat().map((text) => text.split("\n")[0] ?? ""),
      hook: daemon.hook.events().length,
    }),
  };
}

const posts = (more: object = {}) => ({
  type: "timeline",
  accounts: ["one", "two"],
  schedule: "@every 5m",
  ...more,
});
const POSTED = /\(@one\) posted/;

async function withPosts(more: object = {}) {
  const fixture = await setUp(posts(more), async (control) => {
    for (const username of ["one", "two"]) await control("tweets", { username, text: "old" });
  });
  const post = async (username: string, count: number): Promise<readonly string[]> =>
    (await fixture.control("tweets", { username, text: "news", count })).ids;
  return { ...fixture, post };
}

describe.each(INTERRUPTIONS)("a watch that was %s", (interruption) => {
  it("for longer than max_age has what was missed as one digest in a chat and as single events at a webhook; what comes later is delivered as ever", async () => {
    const fixture = await withPosts({ max_age: SHORTER_THAN_AWAY });
    await fixture.leave(interruption);
    await fixture.post("one", 25);
    await fixture.clock.advance(AWAY);
    await fixture.post("two", 15);
    expect(fixture.alerted()).toEqual({ chat: [], hook: 0 });
    await fixture.comeBack(interruption);
    await fixture.clock.advance(MINUTE / 2);
    await fixture.post("one", 1);
    await fixture.clock.advance(SOON);
    const { chat, hook } = fixture.alerted();
    expect(hook).toBe(41);
    expect(chat.filter((line) => POSTED.test(line))).toHaveLength(1);
    expect(
      chat.filter((line) => / · 40 posts; they came while the watch was away$/.test(line)),
    ).toHaveLength(1);
    expect(
      chat.filter(
        (line) =>
          !POSTED.test(line) && !/they came while the watch was away$|^\d+ to \d+ of 40/.test(line),
      ),
    ).toEqual([]);
  });
});

it("with on_return: deliver what was missed is delivered alert by alert, and with skip not at all, for a request an account", async () => {
  const all = await withPosts({ on_return: "deliver" });
  await all.leave("disabled");
  await all.post("one", 5);
  await all.clock.advance(AWAY);
  await all.comeBack("disabled");
  await all.clock.advance(SOON);
  expect(all.alerted()).toMatchObject({
    chat: Array.from({ length: 5 }, () => expect.stringMatching(POSTED)),
    hook: 5,
  });

  const none = await withPosts({ on_return: "skip", strategy: "single" });
  await none.leave("disabled");
  await none.post("one", 150);
  await none.clock.advance(AWAY);
  const before = (await none.control("requests")).billed_by_endpoint["user-tweets"];
  await none.comeBack("disabled");
  await none.clock.advance(4 * MINUTE);
  expect((await none.control("requests")).billed_by_endpoint["user-tweets"] - before).toBe(2);
  await none.post("one", 2);
  await none.clock.advance(SOON);
  expect(none.alerted()).toMatchObject({
    chat: [expect.stringMatching(POSTED), expect.stringMatching(POSTED)],
    hook: 2,
  });
});

it("a restart does not count as a return: items from the meantime are delivered alert by alert", async () => {
  const fixture = await withPosts();
  await fixture.stop();
  await fixture.post("one", 4);
  await fixture.clock.advance(SOON);
  await fixture.start();
  await fixture.clock.advance(SOON);
  expect(fixture.alerted()).toMatchObject({
    chat: Array.from({ length: 4 }, () => expect.stringMatching(POSTED)),
    hook: 4,
  });
});

it("a pause that outlasts restarts is one, and a restart before the first poll after it keeps that", async () => {
  const fixture = await withPosts();
  await fixture.leave("paused");
  await fixture.post("one", 4);
  await fixture.stop();
  await fixture.start();
  await fixture.clock.advance(AWAY);
  await fixture.comeBack("paused");
  await fixture.stop();
  await fixture.start();
  await fixture.clock.advance(SOON);
  expect(fixture.alerted()).toMatchObject({
    chat: [expect.stringMatching(/^w · .* · 4 posts; they came while the watch was away$/)],
    hook: 4,
  });
});

it("until the digest of what was missed goes out, status and page say what waits for it, and until when", async () => {
  const fixture = await withPosts();
  await fixture.leave("paused");
  const [id] = await fixture.post("one", 25);
  await fixture.clock.advance(AWAY);
  await fixture.comeBack("paused");
  await fixture.clock.advance(30_000);
  const wait = {
    cause: "digest",
    reason: "collected for the digest of items from while the watch was away",
    until: expect.any(String),
  };
  const chat = (await fixture.status()).sinks.find(({ name }) => name === "chat");
  expect(chat?.waits).toEqual([{ ...wait, count: 25 }]);
  const { deliveries } = (await fixture.call(`explain/${id}`)).verdicts[0];
  expect(deliveries).toContainEqual(expect.objectContaining({ sink: "chat", wait }));
  expect(await fixture.page()).toContain(wait.reason);
  await fixture.clock.advanceTo(Date.parse(chat?.waits[0]?.until ?? "") + 1_000);
  expect(fixture.alerted().chat.length).toBeGreaterThan(0);
});

it("resumed from now, nothing that came meanwhile is reported, whatever on_return says; a watch that is not paused refuses", async () => {
  const fixture = await withPosts();
  await fixture.leave("paused");
  const [missed = ""] = await fixture.post("one", 4);
  await fixture.clock.advance(AWAY);
  expect(await fixture.comeBack("paused", "?from_now=true")).toMatchObject({
    paused: false,
    was_paused: true,
    on_return: "skip",
  });
  await fixture.clock.advance(SOON);
  await fixture.post("two", 1);
  await fixture.clock.advance(SOON);
  expect(fixture.alerted()).toMatchObject({
    chat: [expect.stringContaining("(@two) posted")],
    hook: 1,
  });
  expect(JSON.stringify(await fixture.call(`explain/${missed}`))).toContain(
    "it came while the watch was away (resumed from now)",
  );
  expect(await fixture.comeBack("paused", "?from_now=true")).toMatchObject({
    error: { code: "WATCH_NOT_PAUSED" },
  });
});

it("an account that was taken out of a watch and comes back after days is a return too", async () => {
  let accounts = ["one", "two"];
  const daemon = await startInnerDaemon({
    watches: () => ({ w: posts({ accounts }) }),
    chat: true,
    prepare: async (control) => {
      for (const username of accounts) await control("tweets", { username, text: "old" });
    },
  });
  await daemon.clock.advance(12 * MINUTE);
  accounts = ["one"];
  await daemon.reload();
  await daemon.control("tweets", { username: "two", text: "missed", count: 3 });
  await daemon.clock.advance(AWAY);
  accounts = ["one", "two"];
  await daemon.reload();
  await daemon.clock.advance(SOON);
  expect(daemon.chat().map((text) => text.split("\n")[0])).toEqual([
    expect.stringMatching(/^w · .* · 3 posts; they came while the watch was away$/),
  ]);
  expect(daemon.hook.events()).toHaveLength(3);
});

describe("lists of accounts", () => {
  const fans = (more: object = {}) => ({
    type: "followers",
    accounts: ["hub"],
    schedule: "@every 10m",
    ...more,
  });
  const withFans = (more: object = {}) =>
    setUp(fans(more), async (control) => {
      for (const follower of ["stays", "goes"])
        await control("follows", { target: "hub", follower });
    });
  const move = async ({ control }: Pick<InnerDaemon, "control">) => {
    await control("follows", { target: "hub", follower: "comes" });
    await control("follows", { target: "hub", follower: "comes_too" });
    await control("follows", { target: "hub", follower: "goes" }, "DELETE");
  };

  it("joins and leaves from the meantime are in a digest, later joins are single alerts", async () => {
    const fixture = await withFans();
    await fixture.leave("removed");
    await move(fixture);
    await fixture.clock.advance(AWAY);
    await fixture.comeBack("removed");
    await fixture.clock.advance(HOUR);
    await fixture.control("follows", { target: "hub", follower: "later" });
    await fixture.clock.advance(SOON);
    expect(fixture.alerted()).toMatchObject({
      chat: [
        expect.stringMatching(
          /^w · .* · 2 new followers, 1 lost follower; they came while the watch was away$/,
        ),
        expect.stringMatching(/new follower.*@later/),
      ],
      hook: 4,
    });
  });

  it("with skip, who came and went meanwhile raises no alert, and coming again is", async () => {
    const fixture = await withFans({ on_return: "skip" });
    await fixture.leave("disabled");
    await move(fixture);
    await fixture.clock.advance(AWAY);
    await fixture.comeBack("disabled");
    await fixture.clock.advance(HOUR);
    expect(fixture.alerted()).toEqual({ chat: [], hook: 0 });
    await fixture.control("follows", { target: "hub", follower: "goes" });
    await fixture.control("follows", { target: "hub", follower: "comes" }, "DELETE");
    await fixture.clock.advance(SOON);
    expect(fixture.alerted().hook).toBe(2);
  });

  it("a quiet list that comes back counts as read at once: who joins later is an alert of its own", async () => {
    const fixture = await withFans({ on_return: "skip", strategy: "probe" });
    await fixture.leave("paused");
    await fixture.clock.advance(AWAY);
    await fixture.comeBack("paused");
    await fixture.clock.advance(AWAY);
    await fixture.control("follows", { target: "hub", follower: "later" });
    await fixture.clock.advance(SOON);
    expect(fixture.alerted()).toMatchObject({ chat: [expect.stringContaining("@later")], hook: 1 });
  });
});

it.each(["digest", "skip"] as const)("values that moved meanwhile: %s", async (onReturn) => {
  const fixture = await setUp(
    {
      type: "profile",
      accounts: ["one"],
      when: { followers_count: ">= 1000" },
      schedule: "@every 10m",
      on_return: onReturn,
    },
    (control) => control("accounts", { username: "one", followers_count: 10 }),
  );
  await fixture.leave("paused");
  await fixture.control("accounts", {
    username: "one",
    followers_count: 2_000,
    description: "Extinct.",
  });
  await fixture.clock.advance(AWAY);
  await fixture.comeBack("paused");
  await fixture.clock.advance(SOON);
  if (onReturn === "skip") expect(fixture.alerted()).toEqual({ chat: [], hook: 0 });
  else
    expect(fixture.alerted()).toMatchObject({
      chat: [
        expect.stringMatching(
          /^w · .* · 1 milestone, 1 profile change; they came while the watch was away$/,
        ),
      ],
      hook: 2,
    });
  await fixture.control("accounts", { username: "one", description: "Back." });
  await fixture.clock.advance(SOON);
  expect(fixture.alerted().chat.at(-1)).toMatch(/@one/);
  expect(fixture.alerted().hook).toBe(onReturn === "skip" ? 1 : 3);
});

it("finds what was posted before the pause and became visible during it, although others read the same feed meanwhile", async () => {
  const watch = {
    type: "timeline",
    accounts: ["one"],
    strategy: "single",
    schedule: "@every 1m",
    overlap: "15m",
  };
  const daemon = await startInnerDaemon({
    watches: () => ({ w: watch, same: { ...watch, no_events: { for: "1h" } } }),
    prepare: (control) => control("tweets", { username: "one", text: "old" }),
  });
  const { clock, control, call, hook } = daemon;
  await clock.advance(30 * MINUTE);
  const [late] = (
    await control("tweets", { username: "one", text: "late", visible_after_ms: 6 * MINUTE })
  ).ids;
  // There is more than a page before and after the pause. A poll that went back only to the pause
  // would miss the late post.
  await control("tweets", { username: "one", text: "known", count: 25 });
  await clock.advance(2 * MINUTE);
  await call("watches/w/pause", "POST");
  await clock.advance(40 * MINUTE);
  await control("tweets", { username: "one", text: "missed", count: 25 });
  await clock.advance(2 * MINUTE);
  await call("watches/w/resume", "POST");
  await clock.advance(20 * MINUTE);
  const alertedBy = new Set(
    hook.events().flatMap(({ data }: any) => (data.tweet?.id === late ? [data.watch] : [])),
  );
  expect(alertedBy).toEqual(new Set(["same", "w"]));
});
