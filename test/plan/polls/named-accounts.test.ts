import { expect, it } from "vitest";
import { namedHandles, namedIds, withAccountIds } from "../../../src/plan/polls/named-accounts.ts";
import { WATCH_TYPES } from "../../../src/watches/registry.ts";
import { makeWatch } from "../../support/make-watch.ts";

const typeNamed = (name: string) => {
  const type = WATCH_TYPES.find((one) => one.type === name);
  if (type === undefined) throw new Error(`no ${name}`);
  return type;
};

const check = makeWatch(
  "w",
  "membership",
  { check: "follow", accounts: ["alice"], account: "@Acme" },
  { ignore: { authors: ["noisy", "id:9"], words: [] } },
);
const membership = typeNamed("membership");

it("names what it cannot be polled without, and authors that may as well go by their handle", () => {
  expect(namedHandles(check, membership)).toEqual({ required: ["acme"], optional: ["noisy"] });
  expect(namedHandles(makeWatch("w", "search", { query: "acme" }), typeNamed("search"))).toEqual({
    required: [],
    optional: [],
  });
});

it("puts ids in place of handles, keeps the names, and asks by the id", () => {
  const followed = withAccountIds(check, membership, { acme: "44", noisy: "45" });
  expect(namedHandles(followed, membership)).toEqual({ required: [], optional: [] });
  expect(namedIds(followed, membership)).toEqual([{ id: "44", name: "Acme" }]);
  expect(followed.ignore.authors).toEqual(["id:45", "id:9"]);
  expect(
    membership.source(followed.settings, { key: "@alice", userId: "7", memory: {} }).params,
  ).toEqual({
    user_id_1: "44",
    user_id_2: "7",
  });
});

it("leaves what is not known as it is, and the watch that was given", () => {
  expect(withAccountIds(check, membership, { other: "1" })).toEqual(check);
  expect(namedIds(check, membership)).toEqual([]);
});

it("settings without such an account stay as they are", () => {
  const watch = makeWatch("w", "membership", {
    check: "comment",
    accounts: ["alice"],
    tweet: "2029911223344556677",
  });
  expect(withAccountIds(watch, membership, { alice: "1" })).toEqual(watch);
});
