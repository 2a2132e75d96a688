/**
 * Tests what an edited file does to the memory of watches, in the words of `plan --diff` and of a
 * reload.
 */
import { expect, it } from "vitest";
import { memoryChanges, memoryText } from "../../../src/operate/changes/memory-changes.ts";
import { sendsText } from "../../../src/operate/changes/sent-changes.ts";
import type { WatchState } from "../../../src/model/watch-store.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { goodConfig } from "../../config/load-text.ts";

const configOf = (watches: object) =>
  goodConfig(
    JSON.stringify({
      version: 1,
      api: { base_url: "http://127.0.0.1:1", key: "k" },
      watches,
      sinks: { out: { type: "console" } },
    }),
  );

async function alerted(
  before: object,
  after: object,
  states: readonly WatchState[] = [],
): Promise<readonly string[]> {
  return memoryChanges(await configOf(before), await configOf(after), { hash: sha256, states }).map(
    memoryText,
  );
}

const THIRTY = "kept for 30 days";
const other = { other: { type: "search", query: "other" } };
const search = (more: object = {}) => ({ w: { type: "search", query: "acme", ...more }, ...other });
const fans = (more: object = {}) => ({ w: { type: "new_followers", accounts: ["acme"], ...more } });
const posts = (accounts: readonly string[], more: object = {}) => ({
  w: { type: "timeline", accounts, ...more },
});
const check = (more: object = {}) => ({
  w: { type: "membership", check: "follow", accounts: ["alice"], account: "acme", ...more },
});
const profile = (more: object = {}) => ({
  w: { type: "profile", accounts: ["acme"], when: { followers_count: ">= 10" }, ...more },
});

it.each<[string, object, object, readonly string[]]>([
  ["nothing", search(), search(), []],
  [
    "a schedule, labels, a priority",
    search(),
    search({ schedule: "@every 9m", labels: { a: "b" }, priority: "low" }),
    [],
  ],
  [
    "a query",
    search(),
    search({ query: "acme corp" }),
    [`w: query: new baseline (it is a different one; the memory of the old one is ${THIRTY})`],
  ],
  [
    "a filter",
    search(),
    search({ where: "tweet.likes_count > 1", ignore: { words: ["x"] } }),
    ["w: where, ignore: kept (applies to items found from now on)"],
  ],
  [
    "a filter with fresh tweets",
    search({ recheck: { every: "1h", until: "1d" } }),
    search({ recheck: { every: "1h", until: "1d" }, where: "tweet.likes_count > 1" }),
    [
      "w: where: kept (applies to items found from now on; fresh tweets that the old one rejected are dropped)",
    ],
  ],
  [
    "kinds",
    posts(["a"]),
    posts(["a"], { include: { replies: true } }),
    ["w: include: kept (applies to items found from now on)"],
  ],
  [
    "accounts",
    posts(["a", "b", "c"]),
    posts(["b", "c", "d"]),
    [
      "w: d: new baseline (new in this watch)",
      `w: a: dropped (memory is ${THIRTY})`,
      "w: 2 other accounts: kept",
    ],
  ],
  [
    "more accounts than a line names",
    posts(["a"]),
    posts(["a", "b", "c", "d", "e", "f", "g", "h"]),
    ["w: b, c, d, e, f and 2 more: new baseline (new in this watch)", "w: 1 other account: kept"],
  ],
  [
    "as many accounts as a line names",
    posts(["a"]),
    posts(["b", "c", "d", "e", "f"]),
    ["w: b, c, d, e, f: new baseline (new in this watch)", `w: a: dropped (memory is ${THIRTY})`],
  ],
  [
    "fewer accounts",
    posts(["a", "b", "c"]),
    posts(["b", "c"]),
    [`w: a: dropped (memory is ${THIRTY})`, "w: 2 other accounts: kept"],
  ],
  [
    "how accounts are read",
    posts(["a"]),
    posts(["a"], { strategy: "single" }),
    ["w: strategy: kept"],
  ],
  [
    "a list of another kind",
    fans({ source: "indexed" }),
    fans({ source: "all" }),
    [
      "w: source: new baseline (it is a different list; its members at the next read are recorded and raise no alert)",
    ],
  ],
  [
    "whom a check is about",
    check(),
    check({ account: "rival" }),
    ["w: account: new baseline (it asks about a different one)"],
  ],
  [
    "a threshold",
    profile(),
    profile({ when: { followers_count: ">= 20" } }),
    [
      'w: when.followers_count: new baseline (a value that is already past ">= 20" is recorded and raises no alert)',
    ],
  ],
  ["fields", profile(), profile({ fields: ["username"] }), ["w: fields: kept"]],
  [
    "ranks",
    { w: { type: "trends", woeid: 1, top: 3 } },
    { w: { type: "trends", woeid: 1, top: 9 } },
    ["w: top: new baseline (different ranks count)"],
  ],
  [
    "a place",
    { w: { type: "trends", woeid: 1 } },
    { w: { type: "trends", woeid: 2 } },
    [`w: woeid: new baseline (it is a different one; the memory of the old one is ${THIRTY})`],
  ],
  [
    "a type",
    search(),
    { w: { type: "user_search", query: "acme" }, ...other },
    ["w: type: new baseline (a user_search watch cannot use the memory of a search watch)"],
  ],
  [
    "a disabled watch",
    search(),
    search({ enabled: false }),
    ["w: enabled: kept (it is not polled until it is enabled again)"],
  ],
  [
    "an enabled watch",
    search({ enabled: false }),
    search({ on_return: "skip" }),
    ["w: enabled: kept (what was missed raises no alert)"],
  ],
  [
    "another name, kept",
    search(),
    { v: { type: "search", query: "acme", moved_from: "w" }, ...other },
    ["v: kept (it was w before)"],
  ],
  [
    "another name, lost",
    search(),
    { v: { type: "search", query: "acme" }, ...other },
    [
      "v: new baseline (it is new; if it was removed less than 30 days ago, it continues with its old memory)",
      `w: dropped (waiting alerts are still delivered; its memory is ${THIRTY}, in case the watch comes back)`,
    ],
  ],
])("%s", async (_name, before, after, lines) => {
  expect(await alerted(before, after)).toEqual(lines);
});

/**
 * Returns the state of a watch, together with another watch and another account that have other
 * ids.
 */
function statesOf(
  type: string,
  memory: Readonly<Record<string, string>> = {},
): readonly WatchState[] {
  const target = (name: string, userId: string) => ({
    watchKey: "k",
    key: `@${name}`,
    name,
    userId,
    username: name,
    registeredAtMs: 0,
    baselineAtMs: 1,
  });
  const known = { memory, revision: 1, status: "ok", statusReason: "" } as const;
  const state = (id: string, accounts: Readonly<Record<string, string>>): WatchState => ({
    key: `key of ${id}`,
    id,
    type,
    registeredAtMs: 0,
    paused: false,
    targets: Object.entries(accounts).map(([name, userId]) => ({
      ...target(name, userId),
      ...known,
    })),
    accounts,
    knownItems: 0,
  });
  return [state("other", { acme: "45" }), state("w", { rival: "46", acme: "44" })];
}

it("an account that is written by its id now is the same one, as the state knows", async () => {
  expect(await alerted(posts(["acme"]), posts(["id:44"]), statesOf("timeline"))).toEqual([]);
  expect(await alerted(posts(["acme"]), posts(["id:44"]))).toHaveLength(2);
  expect(
    await alerted(posts(["acme", "rival"]), posts(["id:45", "id:46"]), statesOf("timeline")),
  ).toEqual([
    "w: id:45: new baseline (new in this watch)",
    `w: acme: dropped (memory is ${THIRTY})`,
    "w: 1 other account: kept",
  ]);
  expect(await alerted(check(), check({ account: "id:44" }), statesOf("membership"))).toEqual([
    "w: account: kept",
  ]);
  expect(await alerted(check(), check({ account: "id:45" }), statesOf("membership"))).toEqual([
    "w: account: new baseline (it asks about a different one)",
  ]);
});

it("the list that was read so far by itself stays the list, when it is written now", async () => {
  const written = [fans({ source: "auto" }), fans({ source: "all" })] as const;
  expect(await alerted(...written, statesOf("new_followers", { mode: "all" }))).toEqual([
    "w: source: kept",
  ]);
  expect(await alerted(...written, statesOf("new_followers"))).toEqual([
    expect.stringContaining("w: source: new baseline (it is a different list"),
  ]);
  expect(await alerted(...written)).toHaveLength(1);
});

it.each<[string, object, object, readonly string[]]>([
  [
    "nothing, where a first run records what is there",
    search(),
    { ...search(), more: { type: "search", query: "x" } },
    [],
  ],
  [
    "what the first run of a new watch wants",
    search(),
    { ...search(), more: { type: "search", query: "x", first_run: { latest: 3 } } },
    ["more: the latest 3 of each target (first_run)"],
  ],
  [
    "nothing of a new watch that is disabled",
    search(),
    { ...search(), more: { type: "search", query: "x", first_run: { latest: 3 }, enabled: false } },
    [],
  ],
  [
    "what the first run of new accounts wants",
    posts(["a"], { first_run: { since: "24h" } }),
    posts(["a", "b"], { first_run: { since: "24h" } }),
    ["w: b: what is not older than 1d (first_run)"],
  ],
  [
    "the same for another query",
    search({ first_run: { latest: 1 } }),
    search({ query: "acme corp", first_run: { latest: 1 } }),
    ["w: query: the latest 1 of each target (first_run)"],
  ],
  [
    "what came while a watch was disabled",
    search({ enabled: false }),
    search(),
    [
      "w: enabled: what was missed is sent as one digest to chat sinks and as single events to others (on_return)",
    ],
  ],
  [
    "nothing of it with on_return: skip",
    search({ enabled: false, on_return: "skip" }),
    search({ on_return: "skip" }),
    [],
  ],
  ["nothing by a filter", search(), search({ where: "tweet.likes_count > 1" }), []],
])("an edit has sent %s", async (_name, before, after, expected) => {
  const changes = memoryChanges(await configOf(before), await configOf(after), {
    hash: sha256,
    states: [],
  });
  expect(changes.flatMap(sendsText)).toEqual(expected);
});
