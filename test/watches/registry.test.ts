import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import type { ChirpEvent, EventBody } from "../../src/model/event.ts";
import type { TargetState } from "../../src/model/watch-store.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { makeTweet, makeUser } from "../support/make-event.ts";

const FOLDER = new URL("../../src/watches/", import.meta.url);
const OTHERS = /^(?:registry|watch-type|roster-caveats)\.ts$|-schema\.ts$/;

/** Returns the settings of a type's own example. */
function settingsOf(
  example: string,
  schema: { readonly shape: object; parse(value: unknown): unknown },
): unknown {
  const watch = parse(example) as Record<string, unknown>;
  const own = Object.keys(schema.shape);
  return schema.parse(
    Object.fromEntries(Object.entries(watch).filter(([key]) => own.includes(key))),
  );
}

const typeNamed = (name: string) => {
  const type = WATCH_TYPES.find((one) => one.type === name);
  if (type === undefined) throw new Error(`no ${name}`);
  return type;
};

const target = (memory: TargetState["memory"] = {}) => ({
  key: "@acme",
  userId: "7",
  username: "acme",
  memory,
});

it("has every file of the folder that describes a watch type, by the file's own name", () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".ts") && !OTHERS.test(name));
  expect(WATCH_TYPES.map(({ type }) => `${type.replaceAll("_", "-")}.ts`).sort()).toEqual(
    files.sort(),
  );
});

it.each(WATCH_TYPES.map((type) => [type.type, type] as const))(
  "%s: its example names its type, is valid, and gives targets with a source",
  (name, type) => {
    expect((parse(type.example) as { type: string }).type).toBe(name);
    const settings = settingsOf(type.example, type.schema());
    const targets = type.targets(settings, "w", () => "fingerprint");
    expect(targets.length).toBeGreaterThan(0);
    for (const { key } of targets) {
      const source = type.source(settings, { ...target(), key });
      expect(source.endpoint).not.toBe("");
    }
    expect(type.costRequests(settings)).toBe(1);
  },
);

it.each(WATCH_TYPES.map((type) => [type.type, type] as const))(
  "%s: refuses a key it does not know, and describes each it has",
  (_name, type) => {
    expect(type.schema().safeParse({ reciever: 1 }).success).toBe(false);
    for (const field of Object.values(type.schema().shape))
      expect((field as { description?: string }).description ?? "").not.toBe("");
  },
);

function eventOf(
  type: string,
  name: string,
  body: EventBody,
): { event: ChirpEvent; watches: readonly string[] } {
  const event: ChirpEvent = {
    id: "e1",
    type: name,
    watchKey: "k",
    watch: "w",
    watchType: type,
    subject: "1",
    labels: { watch: "w", type, event: name, target: "acme", severity: "info" },
    body,
    occurredAtMs: Date.UTC(2026, 0, 15, 12),
    detectedAtMs: Date.UTC(2026, 0, 15, 12),
  };
  return { event, watches: ["w"] };
}

const bob = { ...makeUser("9", "bob"), display_name: "Bob", followers_count: 1_234 };
const acme = { ...makeUser("7", "acme"), display_name: "Acme" };

it.each([
  [
    "search",
    "tweet.created",
    { tweet: makeTweet("100", "hello @acme") },
    /@alice/,
    "https://x.com/alice/status/100",
  ],
  [
    "timeline",
    "tweet.created",
    { tweet: makeTweet("100", "hello") },
    /@alice/,
    "https://x.com/alice/status/100",
  ],
  [
    "community_tweets",
    "tweet.created",
    { tweet: makeTweet("100", "hello") },
    /@alice/,
    "https://x.com/alice/status/100",
  ],
  [
    "new_followers",
    "follower.added",
    { user: bob, target: acme },
    /@acme has a new follower: Bob \(@bob\)/,
    "https://x.com/bob",
  ],
] as const)("%s reads aloud who did what, with the link to it", (type, name, body, title, url) => {
  const message = typeNamed(type).read(eventOf(type, name, body), { linksHost: "https://x.com" });
  expect(message.title).toMatch(title);
  expect(message.url).toBe(url);
});

it("score_delta reads aloud whose score moved, how far, and what it crossed", () => {
  const body = {
    user: acme,
    score: { week_delta: 40, month_delta: -3 },
    previous: { week_delta: 22 },
    crossed: ["week_delta"],
  };
  const message = typeNamed("score_delta").read(eventOf("score_delta", "score.changed", body), {
    linksHost: "https://x.com",
  });
  expect(message.title).toMatch(/@acme/);
  expect(JSON.stringify(message)).toMatch(/40/);
});

it("search always asks for the latest, and says where time bounds go", () => {
  const { source } = typeNamed("search");
  expect(source({ query: "acme OR rival" }, target())).toEqual({
    endpoint: "search-tweets",
    params: { query: "acme OR rival", order: "latest" },
    boundParam: "query",
  });
});

it.each([
  ["replies", { tweet: "100" }, { tweet_link: "100", order_by: "Recency" }],
  [
    "mentions",
    { accounts: ["acme"], min_likes: 3 },
    { query: "acme", order: "latest", min_likes: 3 },
  ],
  [
    "community_search",
    { community: "1493446837214187523", query: "acme" },
    { community_link: "1493446837214187523", query: "acme", order: "latest" },
  ],
] as const)(
  "%s asks for the newest, whatever the service's own order is",
  (name, settings, params) => {
    const type = typeNamed(name);
    expect(type.source(type.schema().parse(settings), target()).params).toEqual(params);
  },
);

it("new_followers asks for the verified alone where these are wanted, for any account", () => {
  const type = typeNamed("new_followers");
  const settings = type.schema().parse({ accounts: ["acme"], verified_only: true });
  expect(type.source(settings, target()).endpoint).toBe("verified-followers");
  expect([type.needsIndex?.(settings, target()), type.withoutIndex?.(settings)]).toEqual([
    false,
    undefined,
  ]);
});

it("takes a list by id or by link", () => {
  const type = typeNamed("list_members");
  for (const list of ["1388742069157900291", "https://x.com/i/lists/1388742069157900291?s=20"]) {
    expect(type.targets(type.schema().parse({ list }), "w", () => "")[0]?.key).toBe(
      "1388742069157900291",
    );
  }
  expect(type.schema().safeParse({ list: "builders" }).success).toBe(false);
});

it("new_followers asks the window first, and the whole list once it knows that there is none", () => {
  const type = typeNamed("new_followers");
  const settings = (source: string) => type.schema().parse({ accounts: ["acme"], source });
  const endpoint = (source: string, memory = {}) =>
    type.source(settings(source), target(memory)).endpoint;
  expect([
    endpoint("auto"),
    endpoint("auto", { mode: "all" }),
    endpoint("indexed"),
    endpoint("all"),
  ]).toEqual(["new-followers-7d", "followers", "new-followers-7d", "followers"]);
  expect([type.withoutIndex?.(settings("auto")), type.withoutIndex?.(settings("indexed"))]).toEqual(
    [{ mode: "all" }, undefined],
  );
});

it("takes an account by handle, @handle, id or link, each once", () => {
  const type = typeNamed("timeline");
  const settings = type.schema().parse({
    accounts: [
      "Alice",
      "@alice",
      "https://x.com/alice",
      "id:44196397",
      "https://x.com/i/user/44196397",
    ],
  });
  expect(type.targets(settings, "w", () => "").map(({ key }) => key)).toEqual([
    "@alice",
    "id:44196397",
  ]);
  expect(
    type.schema().safeParse({ accounts: ["not an account"] }).error?.issues[0]?.message,
  ).toMatch(/is not an account/);
});

it("takes a community by id or by link", () => {
  const type = typeNamed("community_tweets");
  for (const community of [
    "1493446837214187523",
    "https://x.com/i/communities/1493446837214187523",
  ]) {
    expect(type.targets(type.schema().parse({ community }), "w", () => "")[0]?.key).toBe(
      "1493446837214187523",
    );
  }
  expect(type.schema().safeParse({ community: "builders" }).success).toBe(false);
});
