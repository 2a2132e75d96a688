/**
 * Tests recorded data: a world is exported, another one without accounts of its own starts from the
 * lines, and gives the same answers.
 */
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { openSandbox, serveSandbox, START_MS } from "./ask.ts";

type Sandbox = Awaited<ReturnType<typeof openSandbox>>;
type Row = Readonly<Record<string, any>>;

const dataOf = (text: string, name?: string) => ({
  text,
  append: () => undefined,
  ...(name === undefined ? {} : { name }),
});
const rowsOf = (text: string): readonly Row[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
const exported = async (sandbox: Sandbox) =>
  (await sandbox.send("GET", "/_sandbox/export", undefined, {})).text;
const idsIn = (items: readonly Row[]) => items.map((item) => item["id"] as string);

/**
 * The rate limit counts by key, and time stands still here, so there are enough keys for all
 * requests.
 */
const KEYS = Array.from({ length: 40 }, (_, n) => `k${n}`);

/** Opens a world, exports its lines, and opens a second world from them. */
async function openPair() {
  const first = await serveSandbox({ traps: false, keys: KEYS, accounts: 20 });
  await first.control("POST", "tweets", {
    username: "fresh_one",
    text: "zebra",
    community_id: "1493446837214187523",
  });
  await first.control("POST", "accounts", { username: "bob", rename_to: "bobby" });
  const text = await exported(first);
  const rows = rowsOf(text);
  const second = await serveSandbox({
    traps: false,
    keys: KEYS,
    accounts: 0,
    seed: 9,
    data: dataOf(text),
  });
  const of = (type: string, most = 12) => rows.filter((row) => row["type"] === type).slice(0, most);
  let asked = 0;

  const ask = (sandbox: Sandbox, method: "GET" | "POST", path: string, input: Row) => {
    const headers = { ApiKey: KEYS[Math.floor(asked++ / 15)] ?? "" };
    return method === "GET"
      ? sandbox.send("GET", `/v3/${path}?${new URLSearchParams(input)}`, undefined, headers)
      : sandbox.send("POST", `/v3/${path}`, JSON.stringify(input), headers);
  };

  /** Sends the same request to both worlds and compares. Returns the second one's answer. */
  async function same(method: "GET" | "POST", path: string, input: Row): Promise<any> {
    const [one, two] = [
      await ask(first, method, path, input),
      await ask(second, method, path, input),
    ];
    expect(one.status, `${path} ${JSON.stringify(input)} ${one.text}`).toBe(200);
    expect({ status: two.status, body: two.body }, `${path} ${JSON.stringify(input)}`).toEqual({
      status: 200,
      body: one.body,
    });
    return two.body;
  }

  return {
    first,
    second,
    rows,
    of,
    same,
    ask,
    close: () => Promise.all([first.close(), second.close()]),
  };
}

let opened: ReturnType<typeof openPair> | undefined;
/** Returns one pair for all tests that only read. */
const sharedPair = () => (opened ??= openPair());
afterAll(async () => void (await (await opened)?.close()));

describe("a world that was exported and loaded", () => {
  test("holds every kind of resource", async () => {
    const { rows } = await sharedPair();
    const types = new Set(rows.map((row) => row["type"] as string));
    expect([...types].toSorted()).toEqual(
      [
        "user",
        "tweet",
        "follow",
        "list",
        "community",
        "space",
        "article",
        "trend",
        "score",
        "about",
      ].toSorted(),
    );
  });

  test("shows the same profiles, by id and by handle", async () => {
    const { second, of, same, ask } = await sharedPair();
    for (const { id, username } of of("user")) {
      await same("GET", "info", { user_id: id });
      await same("GET", "info", { username });
    }
    expect((await same("GET", "info", { username: "bobby" })).username).toBe("bobby");
    expect((await ask(second, "GET", "info", { username: "bob" })).status).toBe(404);
  });

  test("shows the same tweets, alone, in timelines and to a search", async () => {
    const { of, same } = await sharedPair();
    for (const { id } of of("tweet")) await same("POST", "tweet-info", { tweet_link: id });
    for (const { id } of of("user", 6)) await same("POST", "user-tweets", { user_id: id });
    await same("POST", "search-tweets", { query: "acme", order: "latest" });
    await same("POST", "search-tweets", { query: "zebra", order: "latest" });
    const answered = of("tweet", 5_000).find((row) => row["reply_count"] > 0);
    await same("POST", "comments", { tweet_link: answered?.["id"], order_by: "Recency" });
  });

  test("knows the same lists and communities", async () => {
    const { first, second, of, same, ask } = await sharedPair();
    for (const { id } of of("list")) {
      await same("GET", "list-members", { list_id: id });
      await same("GET", "list-tweets", { list_id: id });
      const [one, two] = [
        await ask(first, "GET", "list-followers", { list_link: id }),
        await ask(second, "GET", "list-followers", { list_link: id }),
      ];
      // Where a follower left, the first world has an empty position, so its page has fewer users.
      expect(idsIn(two.body.users).slice(0, 150)).toEqual(idsIn(one.body.users).slice(0, 150));
    }
    for (const { id, member_ids } of of("community")) {
      await same("POST", "community-info", { community_id: id });
      await same("POST", "community-tweets", { community_id: id });
      await same("POST", "check-community-member", { community_id: id, user_id: member_ids[0] });
    }
  });

  test("knows the same follows, scores, articles, Spaces, trends and facts", async () => {
    const { of, same } = await sharedPair();
    for (const { user_id, follower_id } of of("follow"))
      await same("POST", "check-follow", { user_id_1: user_id, user_id_2: follower_id });
    for (const { user_id } of of("score")) {
      await same("GET", "score", { user_id });
      await same("GET", "score-changes", { user_id });
      await same("GET", "new-followers-7d", { user_id });
    }
    for (const { user_id } of of("about")) await same("GET", "about", { user_id });
    for (const { tweet_id } of of("article"))
      await same("POST", "article", { tweet_link: tweet_id });
    for (const { id } of of("space")) await same("GET", "spaces", { id });
    for (const woeid of ["1", "638242"]) await same("GET", "trends", { woeid });
  });

  test("is exported again as it was", async () => {
    const { second, rows } = await sharedPair();
    const sorted = (lines: readonly Row[]) =>
      lines
        .map(
          (row) =>
            `${row["type"]} ${row["id"] ?? row["user_id"] ?? row["tweet_id"] ?? row["name"]}`,
        )
        .toSorted();
    expect(sorted(rowsOf(await exported(second)))).toEqual(sorted(rows));
  });

  test("can be changed by hand like any other", async () => {
    const { first, second, ask, close } = await openPair();
    onTestFinished(async () => void (await close()));
    await second.control("POST", "tweets", { username: "bobby", text: "a late quagga" });
    expect(
      (await ask(second, "POST", "search-tweets", { query: "quagga", order: "latest" })).body
        .tweets,
    ).toHaveLength(1);
    const count = async (sandbox: Sandbox) =>
      (await ask(sandbox, "GET", "info", { username: "bobby" })).body.tweets_count as number;
    expect(await count(second)).toBe((await count(first)) + 1);
  });
});

describe("recorded lines", () => {
  const user = '{"type":"user","id":"7","username":"visitor","followers_count":12}';
  const tweet =
    '{"type":"tweet","id":"2029903316049166336","full_text":"recorded okapi","user":{"id":"7","username":"visitor"},"likes_count":3}';

  test("are served beside the invented people", async () => {
    const { get, post } = await openSandbox({ data: dataOf(`${tweet}\n${user}\n`) });
    expect((await get("info?username=visitor")).body).toMatchObject({
      id: "7",
      followers_count: 12,
    });
    expect(
      (await post("search-tweets", { query: "okapi", order: "latest" })).body.tweets[0],
    ).toMatchObject({
      likes_count: 3,
      user: { id: "7" },
    });
    expect((await get("info?username=acme")).status).toBe(200);
  });

  test("with --accounts 0 there is nobody else", async () => {
    const { get, post, control } = await openSandbox({ accounts: 0, data: dataOf(user) });
    expect((await get("info?username=acme")).status).toBe(404);
    expect((await post("search-tweets", { query: "acme", order: "latest" })).body.tweets).toEqual(
      [],
    );
    expect((await control("GET", "sample")).body).toMatchObject({
      handles: ["visitor"],
      tweet_ids: [],
      space_ids: [],
      list_ids: [],
    });
    expect((await get("trends?woeid=1")).status).toBe(404);
  });

  test.each([
    ["{ nonsense", "is not JSON"],
    ["[]", "is neither a line of a saved world nor a record"],
    ['{"type":"usr","id":"1"}', 'is of type "usr"'],
    ['{"type":"user","username":"x"}', "has no id of digits"],
    ['{"type":"user","id":"1"}', "is a user without a username"],
    ['{"type":"tweet","id":"1","full_text":"x"}', "is a tweet without an author"],
    ['{"type":"tweet","id":"1","user_id":"12"}', "names the user 12, of whom there is no line"],
    [
      '{"type":"follow","user_id":"7","follower_id":"8"}',
      "names the user 8, of whom there is no line",
    ],
    [
      '{"type":"follow","user_id":"7","follower_id":"7","followerDate":"soon"}',
      'has a followerDate that is no date: "soon"',
    ],
    ['{"type":"community","id":"5"}', "is a community without a creator"],
    ['{"type":"list","id":"5","member_ids":["8"]}', "names the user 8, of whom there is no line"],
    ['{"type":"article","tweet_id":"5"}', "names the tweet 5, of whom there is no line"],
    ['{"type":"trend","name":"x"}', "is a trend without a place"],
    ['{"type":"trend","woeid":1}', "is a trend without a name"],
    ['{"type":"score","user_id":"7"}', "is a score without a number"],
    ['{"type":"space"}', "is a space without an id"],
    ['{"type":"about"}', "has no user_id of digits"],
  ])("%s is refused with its file, its line and the cure", async (line, what) => {
    const opening = openSandbox({
      accounts: 0,
      data: dataOf(`${user}\n\n${line}\n`, "recorded.ndjson"),
    });
    await expect(opening).rejects.toMatchObject({
      code: "SANDBOX_DATA",
      message: `line 3 of recorded.ndjson ${what}`,
    });
    await expect(opening).rejects.toMatchObject({ hint: expect.stringMatching(/^\S.*\.$/) });
  });

  test("an export is of the moment it is asked for", async () => {
    const sandbox = await openSandbox({ accounts: 10 });
    const count = async () =>
      rowsOf(await exported(sandbox)).filter((row) => row["type"] === "tweet").length;
    const before = await count();
    await sandbox.control("POST", "clock", { advance_ms: 3 * 86_400_000 });
    expect(await count()).toBeGreaterThan(before);
    expect(sandbox.clock.now()).toBe(START_MS);
  });
});
