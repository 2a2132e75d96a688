/**
 * Tests how the control API answers and what it refuses. The other files of this folder test what
 * it does.
 */
import { expect, test } from "vitest";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { openSandbox, START_MS } from "./ask.ts";

test.each([
  ["POST", "tweets", {}, "username is required"],
  ["POST", "tweets", { username: "alice", cuont: 3 }, "unknown: cuont"],
  ["POST", "tweets", { username: "alice", count: 0 }, "count: "],
  ["POST", "tweets", { username: "alice", count: 2.5 }, "count: "],
  ["POST", "tweets", { username: "not a handle" }, "username: must be a handle"],
  ["POST", "tweets", { username: "alice", created_at: "soon" }, "created_at: must be ISO 8601"],
  ["POST", "tweets", { username: "alice", reply_to: "17" }, "there is no tweet 17"],
  ["POST", "follows", { follower: "bob" }, "target is required"],
  ["POST", "follows", { target: "acme", at: "soon" }, "at: must be ISO 8601"],
  ["DELETE", "follows", { target: "acme" }, "follower is required"],
  ["POST", "scores", { username: "acme", week_delta: "5" }, "week_delta: "],
  ["POST", "accounts", { username: "bob", rename_to: "acme" }, "somebody has the handle acme"],
  ["POST", "accounts", { username: "bob", protected: "yes" }, "protected: "],
  ["POST", "accounts", { username: "bob", followers_count: -1 }, "followers_count: "],
  ["POST", "keys", { key: "" }, "key: "],
  ["POST", "keys", { quota: -1 }, "quota: "],
  ["POST", "keys", { expires: "never" }, "expires: must be ISO 8601"],
  ["POST", "clock", {}, "advance_ms is required"],
  ["POST", "clock", { advance_ms: -1 }, "advance_ms: "],
  ["POST", "restore", {}, "id is required"],
  ["GET", "sample", { count: 1 }, "unknown: count"],
] as const)(
  "an order that cannot be followed is refused in words, and nothing happens: %s %s %j",
  async (method, path, body, words) => {
    const { control, get } = await openSandbox();
    const before = (await control("GET", "sample")).body;
    expect(await control(method, path, body)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(words) },
    });
    expect((await control("GET", "sample")).body).toEqual(before);
    expect((await get("info?username=bob")).status).toBe(200);
  },
);

test("what is not there is answered with 404, and an unknown call with the known ones", async () => {
  const { control } = await openSandbox();
  expect((await control("DELETE", "keys/unknown")).status).toBe(404);
  expect((await control("DELETE", "tweets/17")).status).toBe(404);
  expect(await control("PUT", "keys")).toMatchObject({
    status: 404,
    body: { message: expect.stringContaining("POST keys") },
  });
});

test("a body that is no JSON is refused, and an empty one is no order", async () => {
  const { send } = await openSandbox();
  expect((await send("POST", "/_sandbox/tweets", "{", {})).status).toBe(400);
  expect((await send("POST", "/_sandbox/tweets", "", {})).body).toEqual({
    message: "username is required",
  });
});

test("the clock is set, and moves for the service and its keys alike", async () => {
  const { control, get } = await openSandbox();
  expect((await control("GET", "clock")).body).toEqual({
    now: new Date(START_MS).toISOString(),
    now_ms: START_MS,
  });
  expect((await control("POST", "clock", { advance_ms: 1_000 })).body.now_ms).toBe(
    START_MS + 1_000,
  );
  for (const path of ["info?username=acme", "nowhere"])
    expect((await get(path)).headers["x-chirpwatch-sandbox"], path).toBe("1");
  expect((await get("info?username=acme")).headers["date"]).toBe(
    new Date(START_MS + 1_000).toUTCString(),
  );
});

test("a key keeps what is not changed of it", async () => {
  const { control, get } = await openSandbox();
  await control("POST", "keys", { key: "mine", quota: 7 });
  await get("info?username=acme", { ApiKey: "mine" });
  const { body } = await control("POST", "keys", {
    key: "mine",
    expires: "2027-01-01T00:00:00.000Z",
  });
  expect(body).toEqual({
    key: "mine",
    key_requests: 1,
    remaining_requests: 6,
    total_requests: 7,
    valid_until: "2027-01-01T00:00:00.000Z",
  });
});

test("what is put in while the clock runs on is the same after a restart", async () => {
  let text = "";
  let ticks = 0;
  const ticking = { ...createVirtualClock(START_MS), now: () => START_MS + (ticks += 1) };
  const data = () => ({ text, append: (line: string) => void (text += line) });
  const first = await openSandbox({ data: data(), clock: ticking });
  const { ids } = (await first.control("POST", "tweets", { username: "alice", text: "kept" })).body;
  const second = await openSandbox({ data: data(), clock: ticking });
  expect((await second.post("tweet-info", { tweet_link: ids[0] })).body.full_text).toBe("kept");
});
