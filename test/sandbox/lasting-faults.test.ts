/**
 * Tests faults that last for a while or change the world: each is switched on by its number and
 * seen over HTTP.
 */
import { expect, test } from "vitest";
import { openSandbox, START_MS } from "./ask.ts";

const MINUTE_MS = 60_000;

type Item = { readonly id: string };
const idsOf = (items: readonly Item[]) => items.map(({ id }) => id);

async function open() {
  const sandbox = await openSandbox({ traps: false });
  const fault = async (number: number, more: object = {}) =>
    (await sandbox.control("POST", "faults", { number, ...more })).body;
  const timeline = async (username: string) =>
    idsOf((await sandbox.post("user-tweets", { username })).body.tweets);
  const put = async (more: object): Promise<string[]> =>
    (await sandbox.control("POST", "tweets", { username: "fresh_one", ...more })).body.ids;
  const statusOf = async (username: string) =>
    (await sandbox.get(`info?username=${username}`)).status;
  return {
    ...sandbox,
    fault,
    timeline,
    put,
    statusOf,
    off: () => sandbox.control("DELETE", "faults"),
  };
}

test("fault 24 puts an item in between any two pages, and repeats the last one on the next page", async () => {
  const { fault, put, pages, off, timeline } = await open();
  const ids = (await put({ count: 50 })).toReversed();
  await fault(24);
  const walked = (await pages("POST", "user-tweets", { username: "fresh_one" })).map((page) =>
    idsOf(page.body.tweets),
  );
  for (const [index, page] of walked.slice(1).entries())
    expect(page[0]).toBe(walked[index]?.at(-1));
  expect(new Set(walked.flat())).toEqual(new Set(ids));
  await off();
  expect((await timeline("fresh_one")).indexOf(ids[0] ?? "")).toBe(walked.length - 1);
});

test("fault 24 shifts lists of users, too", async () => {
  const { fault, pages } = await open();
  await fault(24);
  const walked = (await pages("GET", "followers", { username: "bob" }, 3)).map((page) =>
    idsOf(page.body.users),
  );
  expect(walked[1]?.[0]).toBe(walked[0]?.at(-1));
  expect(walked[2]?.[0]).toBe(walked[1]?.at(-1));
});

test("a cursor as a bare number keeps its digits on the wire, and every page has one until it is switched off", async () => {
  const { control, get, pages } = await openSandbox({ traps: false });
  await control("POST", "faults", { name: "cursor_number" });
  const walked = await pages("GET", "followers", { username: "alice" }, 3);
  expect(walked.map(({ status, text }) => [status, /"next_cursor":\d{19}[,}]/.test(text)])).toEqual(
    [
      [200, true],
      [200, true],
      [200, true],
    ],
  );
  // The parsed cursor lost digits, as in any parser that reads numbers as doubles.
  expect(
    (await get(`followers?username=alice&next_cursor=${walked[0]?.body.next_cursor}`)).status,
  ).toBe(400);
  await control("DELETE", "faults");
  expect((await get("followers?username=alice")).body.next_cursor).toEqual(expect.any(String));
});

test("fault 19, as a circle: the first cursor comes back on every page but the one it leads to", async () => {
  const { put, control, post, clock } = await open();
  await put({ count: 90 });
  await control("POST", "faults", { name: "cursor_circle" });
  const cursors: string[] = [];
  for (let page = 0; page < 5; page += 1) {
    await clock.advance(1_000);
    const next_cursor = cursors.at(-1);
    cursors.push(
      (
        await post("user-tweets", {
          username: "fresh_one",
          ...(next_cursor !== undefined && { next_cursor }),
        })
      ).body.next_cursor,
    );
  }
  const [a, b] = cursors;
  expect(a).not.toBe(b);
  expect(cursors).toEqual([a, b, a, b, a]);
});

test("fault 25 shows every other tweet a quarter of an hour late, with its older id", async () => {
  const { fault, put, timeline, clock, post } = await open();
  await fault(25);
  await clock.advance(1_000);
  const ids = await put({ count: 4 });
  const seen = await timeline("fresh_one");
  const late = ids.filter((id) => !seen.includes(id));
  expect([seen.length, late.length]).toEqual([2, 2]);
  expect((await post("tweet-info", { tweet_link: late[0] })).status).toBe(404);
  await clock.advance(15 * MINUTE_MS);
  expect(await timeline("fresh_one")).toEqual(ids.toReversed());
  expect((await post("tweet-info", { tweet_link: late[0] })).status).toBe(200);
});

test("fault 26 takes every other tweet away, and brings it back", async () => {
  const { fault, put, timeline, clock, post } = await open();
  const ids = (await put({ count: 6 })).toReversed();
  await clock.advance(1_000);
  await fault(26, { for_ms: MINUTE_MS });
  const left = await timeline("fresh_one");
  const gone = ids.filter((id) => !left.includes(id));
  expect([left.length, gone.length]).toEqual([3, 3]);
  expect((await post("tweet-info", { tweet_link: gone[0] })).status).toBe(404);
  expect((await post("tweet-info-bulk", { tweet_links: ids })).body.tweets).toHaveLength(3);
  await clock.advance(MINUTE_MS);
  expect(await timeline("fresh_one")).toEqual(ids);
});

test("fault 27 renames an account: its id answers with the new handle, the old one with 404", async () => {
  const { fault, get, statusOf, off } = await open();
  const { id } = (await get("info?username=bob")).body;
  await fault(27, { username: "bob" });
  expect(await statusOf("bob")).toBe(404);
  const { handle } = (await get(`id-to-username/${id}`)).body;
  expect(handle).not.toBe("bob");
  expect((await get(`info?username=${handle}`)).body.id).toBe(id);
  await off();
  expect((await get("info?username=bob")).body.id).toBe(id);
});

test("fault 28 gives the handle to another account, which posts", async () => {
  const { fault, get, timeline, off } = await open();
  const { id } = (await get("info?username=bob")).body;
  await fault(28, { username: "bob", text: "I am somebody else" });
  const other = (await get("info?username=bob")).body;
  expect(other.id).not.toBe(id);
  expect((await get(`id-to-username/${id}`)).body.handle).not.toBe("bob");
  expect(await timeline("bob")).toHaveLength(1);
  await off();
  expect((await get("info?username=bob")).body.id).toBe(id);
});

test("fault 29 protects an account for ten minutes", async () => {
  const { fault, get, statusOf, clock } = await open();
  await fault(29, { username: "bob" });
  expect(await statusOf("bob")).toBe(404);
  expect((await get("info-batch?usernames=bob&usernames=acme")).body.users).toHaveLength(1);
  await clock.advance(10 * MINUTE_MS);
  expect(await statusOf("bob")).toBe(200);
});

test("fault 30 suspends an account, which comes back without a follower, and then with all", async () => {
  const { fault, get, statusOf, clock } = await open();
  const shown = async () => [
    (await get("info?username=bob")).body.followers_count,
    (await get("followers?username=bob")).body.users.length,
    (await get("new-followers-7d?username=bob")).body.users.length,
  ];
  const before = await shown();
  await fault(30, { username: "bob" });
  expect(await statusOf("bob")).toBe(404);
  await clock.advance(10 * MINUTE_MS);
  expect(await shown()).toEqual([0, 0, 0]);
  await clock.advance(10 * MINUTE_MS);
  // Other replies may have been added meanwhile.
  (await shown()).forEach((count, which) => expect(count).toBeGreaterThanOrEqual(before[which]));
});

test("fault 31 lets the older followers leave the 7-day window and come back", async () => {
  const { fault, get, clock } = await open();
  const shown = async () => idsOf((await get("new-followers-7d?username=acme")).body.users);
  const before = await shown();
  await fault(31, { for_ms: 1_000 });
  expect(await shown()).toEqual(before.slice(0, Math.ceil(before.length / 2)));
  await clock.advance(1_000);
  expect(await shown()).toEqual(before);
});

test("fault 34 posts two tweets whose ids are the same number to JavaScript", async () => {
  const { fault, timeline } = await open();
  await fault(34, { username: "fresh_one" });
  const ids = await timeline("fresh_one");
  expect(new Set(ids).size).toBe(2);
  expect(new Set(ids.map(Number)).size).toBe(1);
});

test("fault 36 puts the clock of the whole service five hours ahead", async () => {
  const { fault, put, get, post, off } = await open();
  await fault(36);
  const ahead = new Date(START_MS + 5 * 60 * MINUTE_MS);
  const [id] = await put({ text: "skewed" });
  expect((await get("info?username=acme")).headers["date"]).toBe(ahead.toUTCString());
  expect((await post("tweet-info", { tweet_link: id })).body.created_at).toBe(ahead.toISOString());
  await off();
  expect((await get("info?username=acme")).headers["date"]).toBe(new Date(START_MS).toUTCString());
});

test("a clock that is wrong makes no other fault shorter or longer", async () => {
  const { fault, statusOf, clock } = await open();
  await fault(38);
  await fault(36, { for_ms: 5 * MINUTE_MS });
  await expect(statusOf("acme")).rejects.toThrow(/socket hang up|ECONNRESET/);
  await clock.advance(4 * MINUTE_MS);
  await fault(38, { for_ms: 8 * MINUTE_MS });
  await clock.advance(7 * MINUTE_MS);
  await expect(statusOf("acme")).rejects.toThrow(/socket hang up|ECONNRESET/);
  await clock.advance(MINUTE_MS);
  expect(await statusOf("acme")).toBe(200);
});

test.each([
  [37, 0],
  [38, 10],
])(
  "fault %i ends the connection without a byte of an answer, for %i minutes",
  async (number, minutes) => {
    const { fault, statusOf, clock } = await open();
    await fault(number);
    await expect(statusOf("acme")).rejects.toThrow(/socket hang up|ECONNRESET/);
    if (minutes > 0) await expect(statusOf("acme")).rejects.toThrow(/socket hang up|ECONNRESET/);
    await clock.advance(minutes * MINUTE_MS);
    expect(await statusOf("acme")).toBe(200);
  },
);

test("fault 40 posts ten thousand tweets, all of them found by paging", async () => {
  const { fault, get, pages } = await open();
  await fault(40, { username: "fresh_one", text: "flood" });
  const walked = await pages("POST", "user-tweets", { username: "fresh_one" }, 1_000);
  expect(new Set(walked.flatMap((page) => idsOf(page.body.tweets))).size).toBe(10_000);
  expect((await get("info?username=fresh_one")).status).toBe(200);
});

test.each([
  [2, MINUTE_MS, 429],
  [4, 60 * MINUTE_MS, 500],
])("fault %i lasts as long as the list says: %i ms", async (number, ms, status) => {
  const { fault, statusOf, clock } = await open();
  await fault(number);
  await clock.advance(ms - 1);
  expect(await statusOf("acme")).toBe(status);
  await clock.advance(1);
  expect(await statusOf("acme")).toBe(200);
});

test("a fault that strikes does so beside those that last", async () => {
  const { fault, statusOf } = await open();
  await fault(27, { username: "bob" });
  await fault(3);
  expect([await statusOf("acme"), await statusOf("acme"), await statusOf("bob")]).toEqual([
    500, 200, 404,
  ]);
});

test("every number from 1 to 40 is known, and no other", async () => {
  const { control, fault, off } = await open();
  for (let number = 1; number <= 40; number += 1) {
    expect(await fault(number)).toEqual({ fault: expect.any(String) });
    await off();
  }
  for (const number of [0, 41, 1.5, -1])
    expect((await control("POST", "faults", { number })).status).toBe(400);
});

test.each([
  [{ number: 27, times: 2 }, "for_ms"],
  [{ name: "server_error", endpoint: "nowhere" }, "endpoint: no such endpoint; known: info"],
  [{ name: "server_error", times: "two" }, "times: "],
  [{ name: "constructor" }, "unknown fault"],
  [{}, "name is required"],
])("an order that cannot be followed is refused in words: %j", async (order, words) => {
  const { control } = await open();
  expect(await control("POST", "faults", order)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining(words) },
  });
});
