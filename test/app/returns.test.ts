/** What came while a watch was paused, disabled or removed: one digest in a chat, single alerts, or nothing, by `on_return`. */
import { describe, expect, it } from "vitest";
import { type InnerDaemon, startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Longer than max_age. */
const DAYS = 26 * HOUR;
const AWAY = 2 * HOUR;

const WAYS = ["paused", "disabled", "removed"] as const;
type Way = (typeof WAYS)[number];

/** A watch in a daemon with a webhook and a chat, which can be put away and come back. */
async function setUp(watch: object, prepare: (control: InnerDaemon["control"]) => Promise<unknown>) {
  const other = { other: { type: "search", query: "nobody_says_this", schedule: "@every 1h" } };
  let watches: object = { w: watch, ...other };
  const daemon = await startInnerDaemon({ watches: () => watches, chat: true, prepare });
  await daemon.clock.advance(30 * MINUTE);
  expect(daemon.hook.events()).toEqual([]);
  const change = async (next: object) => {
    watches = { ...next, ...other };
    await daemon.reload();
  };
  return {
    ...daemon,
    async leave(way: Way) {
      if (way === "paused") await daemon.call("watches/w/pause", "POST");
      else await change(way === "disabled" ? { w: { ...watch, enabled: false } } : {});
    },
    async comeBack(way: Way, fromNow = "") {
      if (way === "paused") return daemon.call(`watches/w/resume${fromNow}`, "POST");
      return change({ w: watch });
    },
    /** First lines of what the chat was told, and how many events the webhook got. */
    told: () => ({ chat: daemon.chat().map((text) => text.split("\n")[0] ?? ""), hook: daemon.hook.events().length }),
  };
}

const posts = (more: object = {}) => ({ type: "timeline", accounts: ["one", "two"], schedule: "@every 5m", ...more });
const POSTED = /\(@one\) posted/;

async function withPosts(more: object = {}) {
  const stage = await setUp(posts(more), async (control) => {
    for (const username of ["one", "two"]) await control("tweets", { username, text: "old" });
  });
  const post = async (username: string, count: number): Promise<readonly string[]> =>
    (await stage.control("tweets", { username, text: "news", count })).ids;
  return { ...stage, post };
}

describe.each(WAYS)("a watch that was %s", (way) => {
  it("for days has what was missed as one digest in a chat and as single events at a webhook; what comes later is delivered as ever", async () => {
    const stage = await withPosts();
    await stage.leave(way);
    await stage.post("one", 25);
    await stage.clock.advance(way === "disabled" ? DAYS : AWAY);
    await stage.post("two", 15);
    expect(stage.told()).toEqual({ chat: [], hook: 0 });
    await stage.comeBack(way);
    await stage.clock.advance(MINUTE / 2);
    await stage.post("one", 1);
    await stage.clock.advance(HOUR);
    const { chat, hook } = stage.told();
    expect(hook).toBe(41);
    expect(chat.filter((line) => POSTED.test(line))).toHaveLength(1);
    expect(chat.filter((line) => line.includes("40 alerts that came while w was away"))).toHaveLength(1);
    expect(chat.filter((line) => !POSTED.test(line) && !/alerts that came|^\d+ to \d+ of 40/.test(line))).toEqual([]);
  });

  it("with on_return: deliver is delivered alert by alert, and with skip not at all, for a request an account", async () => {
    const all = await withPosts({ on_return: "deliver" });
    await all.leave(way);
    await all.post("one", 5);
    await all.clock.advance(AWAY);
    await all.comeBack(way);
    await all.clock.advance(HOUR);
    expect(all.told()).toMatchObject({ chat: Array.from({ length: 5 }, () => expect.stringMatching(POSTED)), hook: 5 });

    const none = await withPosts({ on_return: "skip", strategy: "single" });
    await none.leave(way);
    await none.post("one", 150);
    await none.clock.advance(AWAY);
    const before = (await none.control("requests")).billed_by_endpoint["user-tweets"];
    await none.comeBack(way);
    await none.clock.advance(4 * MINUTE);
    expect((await none.control("requests")).billed_by_endpoint["user-tweets"] - before).toBe(2);
    await none.post("one", 2);
    await none.clock.advance(HOUR);
    expect(none.told()).toMatchObject({ chat: [expect.stringMatching(POSTED), expect.stringMatching(POSTED)], hook: 2 });
  });
});

it("restarts are no return: what came meanwhile is delivered alert by alert", async () => {
  const stage = await withPosts();
  await stage.stop();
  await stage.post("one", 4);
  await stage.clock.advance(HOUR);
  await stage.start();
  await stage.clock.advance(HOUR);
  expect(stage.told()).toMatchObject({ chat: Array.from({ length: 4 }, () => expect.stringMatching(POSTED)), hook: 4 });
});

it("a pause that outlasts restarts is one, and a restart before the first poll after it keeps that", async () => {
  const stage = await withPosts();
  await stage.leave("paused");
  await stage.post("one", 4);
  await stage.stop();
  await stage.start();
  await stage.clock.advance(AWAY);
  await stage.comeBack("paused");
  await stage.stop();
  await stage.start();
  await stage.clock.advance(HOUR);
  expect(stage.told()).toMatchObject({ chat: ["4 alerts that came while w was away"], hook: 4 });
});

it("until the digest of what was missed goes out, status and page say what waits for it, and until when", async () => {
  const stage = await withPosts();
  await stage.leave("paused");
  const [id] = await stage.post("one", 25);
  await stage.clock.advance(AWAY);
  await stage.comeBack("paused");
  await stage.clock.advance(30_000);
  const wait = { cause: "digest", reason: "gathered for the digest of what came while the watch was away", until: expect.any(String) };
  const chat = (await stage.status()).sinks.find(({ name }) => name === "chat");
  expect(chat?.waits).toEqual([{ ...wait, count: 25 }]);
  const { deliveries } = (await stage.call(`explain/${id}`)).verdicts[0];
  expect(deliveries).toContainEqual(expect.objectContaining({ sink: "chat", wait }));
  expect(await stage.page()).toContain(wait.reason);
  await stage.clock.advanceTo(Date.parse(chat?.waits[0]?.until ?? "") + 1_000);
  expect(stage.told().chat.length).toBeGreaterThan(0);
});

it("resumed from now, nothing that came meanwhile is told, whatever on_return says, and who is not paused hears so", async () => {
  const stage = await withPosts();
  await stage.leave("paused");
  const [missed = ""] = await stage.post("one", 4);
  await stage.clock.advance(AWAY);
  expect(await stage.comeBack("paused", "?from_now=true")).toMatchObject({ paused: false, was_paused: true, on_return: "skip" });
  await stage.clock.advance(HOUR);
  await stage.post("two", 1);
  await stage.clock.advance(HOUR);
  expect(stage.told()).toMatchObject({ chat: [expect.stringContaining("(@two) posted")], hook: 1 });
  expect(JSON.stringify(await stage.call(`explain/${missed}`))).toContain("it came while the watch was away (resumed from now)");
  expect(await stage.comeBack("paused", "?from_now=true")).toMatchObject({ error: { code: "WATCH_NOT_PAUSED" } });
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
  await daemon.clock.advance(30 * MINUTE);
  accounts = ["one"];
  await daemon.reload();
  await daemon.control("tweets", { username: "two", text: "missed", count: 3 });
  await daemon.clock.advance(AWAY);
  accounts = ["one", "two"];
  await daemon.reload();
  await daemon.clock.advance(HOUR);
  expect(daemon.chat().map((text) => text.split("\n")[0])).toEqual(["3 alerts that came while w was away"]);
  expect(daemon.hook.events()).toHaveLength(3);
});

describe("lists of accounts", () => {
  const fans = (more: object = {}) => ({ type: "followers", accounts: ["hub"], schedule: "@every 10m", ...more });
  const withFans = (more: object = {}) =>
    setUp(fans(more), async (control) => {
      for (const follower of ["stays", "goes"]) await control("follows", { target: "hub", follower });
    });
  const move = async ({ control }: Pick<InnerDaemon, "control">) => {
    await control("follows", { target: "hub", follower: "comes" });
    await control("follows", { target: "hub", follower: "comes_too" });
    await control("follows", { target: "hub", follower: "goes" }, "DELETE");
  };

  it.each(WAYS)("%s: who came and went meanwhile is in a digest, who comes later is not", async (way) => {
    const stage = await withFans();
    await stage.leave(way);
    await move(stage);
    await stage.clock.advance(AWAY);
    await stage.comeBack(way);
    await stage.clock.advance(HOUR);
    await stage.control("follows", { target: "hub", follower: "later" });
    await stage.clock.advance(HOUR);
    expect(stage.told()).toMatchObject({
      chat: ["3 alerts that came while w was away", expect.stringMatching(/new follower.*@later/)],
      hook: 4,
    });
  });

  it("with skip, who came and went meanwhile raises no alert, and coming again is", async () => {
    const stage = await withFans({ on_return: "skip" });
    await stage.leave("disabled");
    await move(stage);
    await stage.clock.advance(AWAY);
    await stage.comeBack("disabled");
    await stage.clock.advance(2 * HOUR);
    expect(stage.told()).toEqual({ chat: [], hook: 0 });
    await stage.control("follows", { target: "hub", follower: "goes" });
    await stage.control("follows", { target: "hub", follower: "comes" }, "DELETE");
    await stage.clock.advance(HOUR);
    expect(stage.told().hook).toBe(2);
  });

  it("a quiet list that comes back counts as read at once: who joins later is told alone", async () => {
    const stage = await withFans({ on_return: "skip", strategy: "probe" });
    await stage.leave("paused");
    await stage.clock.advance(AWAY);
    await stage.comeBack("paused");
    await stage.clock.advance(AWAY);
    await stage.control("follows", { target: "hub", follower: "later" });
    await stage.clock.advance(HOUR);
    expect(stage.told()).toMatchObject({ chat: [expect.stringContaining("@later")], hook: 1 });
  });
});

it.each(["digest", "skip"] as const)("values that moved meanwhile: %s", async (onReturn) => {
  const stage = await setUp(
    { type: "profile", accounts: ["one"], when: { followers_count: ">= 1000" }, schedule: "@every 10m", on_return: onReturn },
    (control) => control("accounts", { username: "one", followers_count: 10 }),
  );
  await stage.leave("paused");
  await stage.control("accounts", { username: "one", followers_count: 2_000, description: "Extinct." });
  await stage.clock.advance(AWAY);
  await stage.comeBack("paused");
  await stage.clock.advance(HOUR);
  if (onReturn === "skip") expect(stage.told()).toEqual({ chat: [], hook: 0 });
  else expect(stage.told()).toMatchObject({ chat: ["2 alerts that came while w was away"], hook: 2 });
  await stage.control("accounts", { username: "one", description: "Back." });
  await stage.clock.advance(HOUR);
  expect(stage.told().chat.at(-1)).toMatch(/@one/);
  expect(stage.told().hook).toBe(onReturn === "skip" ? 1 : 3);
});
