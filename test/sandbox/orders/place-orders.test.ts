/** Tests what the control API does to lists, communities and other places, seen over the API. */
import { expect, test } from "vitest";
import { openSandbox, START_MS } from "../ask.ts";

const BUILDERS = "1493446837214187523";
const HOUR_MS = 3_600_000;
const isoAfter = (ms: number): string => new Date(START_MS + ms).toISOString();

test("a Space is announced, goes live, gains and loses listeners, and ends on order", async () => {
  const { control, get, clock } = await openSandbox();
  const { id } = (
    await control("POST", "spaces", {
      title: "Okapi hour",
      host: "alice",
      starts_at: isoAfter(HOUR_MS),
      ends_at: isoAfter(2 * HOUR_MS),
    })
  ).body;
  const seen = async () => {
    const { body } = await get(`spaces?id=${id}`);
    return {
      title: body.title,
      host: body.creator.username,
      state: body.state,
      live: body.stats.total_live_listeners,
    };
  };
  expect(await seen()).toEqual({
    title: "Okapi hour",
    host: "alice",
    state: "NotStarted",
    live: 0,
  });
  await clock.advance(HOUR_MS);
  await control("POST", "spaces", { id, listeners: 500 });
  expect(await seen()).toMatchObject({ state: "Running", live: 500 });
  await control("POST", "spaces", { id, listeners: 20 });
  expect(await seen()).toMatchObject({ state: "Running", live: 20 });
  await control("POST", "spaces", { id, ends_at: isoAfter(HOUR_MS) });
  expect(await seen()).toMatchObject({ state: "Ended", live: 0 });
  expect((await control("GET", "sample")).body.space_ids).toContain(id);
});

test("a Space that does not exist is not changed, and none ends before it starts", async () => {
  const { control } = await openSandbox();
  expect((await control("POST", "spaces", { id: "1nothing", listeners: 1 })).status).toBe(404);
  expect((await control("POST", "spaces", { ends_at: isoAfter(-HOUR_MS) })).status).toBe(400);
  expect((await control("POST", "spaces", { listeners: "many" })).status).toBe(400);
});

test("a place talks about what it is set to, until it is left to itself", async () => {
  const { control, get } = await openSandbox();
  const names = async () =>
    (await get("trends?woeid=1")).body.trends.map(({ name }: { name: string }) => name);
  const own = await names();
  await control("POST", "trends", { woeid: 1, names: ["okapi", "zebra"] });
  expect(await names()).toEqual(["okapi", "zebra"]);
  await control("POST", "trends", { woeid: 1, names: null });
  expect(await names()).toEqual(own);
});

test("people join a community and leave it, and a list has the members it is given", async () => {
  const { control, post, get } = await openSandbox();
  const isMember = async () =>
    (await post("check-community-member", { community_id: BUILDERS, username: "newcomer" })).body
      .is_member;
  await control("POST", "members", { group: BUILDERS, username: "newcomer" });
  expect(await isMember()).toBe(true);
  await control("DELETE", "members", { group: BUILDERS, username: "newcomer" });
  expect(await isMember()).toBe(false);
  const { id } = (await control("POST", "lists", { members: ["alice", "bob"] })).body;
  const members = async () =>
    (await get(`list-members?list_id=${id}`)).body.users
      .map(({ username }: { username: string }) => username)
      .toSorted();
  expect(await members()).toEqual(["alice", "bob"]);
  await control("POST", "members", { group: id, username: "newcomer" });
  await control("DELETE", "members", { group: id, username: "bob" });
  expect(await members()).toEqual(["alice", "newcomer"]);
  await control("POST", "tweets", { username: "newcomer", text: "okapi" });
  expect((await get(`list-tweets?list_id=${id}`)).body.tweets[0].full_text).toBe("okapi");
  expect(
    (await post("search-tweets", { query: `list:${id} okapi`, order: "latest" })).body.tweets,
  ).toHaveLength(1);
  expect((await control("POST", "members", { group: "5", username: "alice" })).status).toBe(404);
});

test("an account hidden from search still answers in its timeline", async () => {
  const { control, post } = await openSandbox();
  await control("POST", "tweets", { username: "shy_one", text: "okapi" });
  await control("POST", "accounts", { username: "shy_one", hidden_from_search: true });
  expect((await post("search-tweets", { query: "okapi", order: "latest" })).body.tweets).toEqual(
    [],
  );
  expect((await post("user-tweets", { username: "shy_one" })).body.tweets).toHaveLength(1);
});

test("places stay as they were made over a restart", async () => {
  let text = "";
  const data = () => ({ text, append: (line: string) => void (text += line) });
  const first = await openSandbox({ data: data() });
  const { id } = (await first.control("POST", "spaces", { title: "Okapi hour" })).body;
  await first.control("POST", "trends", { woeid: 1, names: ["okapi"] });
  const second = await openSandbox({ data: data() });
  expect((await second.get(`spaces?id=${id}`)).body.title).toBe("Okapi hour");
  expect((await second.get("trends?woeid=1")).body.trends).toHaveLength(1);
});
