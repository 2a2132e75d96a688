import { expect, it } from "vitest";
import {
  pollsOfOthers,
  replicaViews,
  unclaimedView,
} from "../../../src/operate/views/replicas-view.ts";
import { type ReplicaState, shardOf, type WorkClaim } from "../../../src/model/replicas.ts";

const replica = (id: string): ReplicaState => ({
  id,
  name: `r${id}`,
  config: "c",
  isLeading: id === "1",
  joinedAtMs: 0,
});
const claim = (key: string, by: string | null, kind: WorkClaim["kind"] = "poll"): WorkClaim => ({
  ...{ kind, key, cost: 1, replica: by, wanted: "1" },
});

it("knows which other replica makes a poll: not those that are its own, nobody's, or of one that is gone", () => {
  const claims = [
    claim("own", "1"),
    claim("other", "2"),
    claim("free", null),
    claim("gone", "3"),
    claim("place", "2", "destination"),
  ];
  expect(pollsOfOthers([replica("1"), replica("2")], claims, "1")).toEqual(
    new Map([["other", "r2"]]),
  );
});

it("says what part of the requests of all polls each replica makes, and how many destinations it has", () => {
  const claims = [
    { ...claim("a", "1"), cost: 3 },
    claim("b", "2"),
    claim("place", "2", "destination"),
  ];
  const views = replicaViews([replica("1"), replica("2")], claims, "1");
  expect(views.map((view) => [view.polls_percent, view.destinations])).toEqual([
    [75, 0],
    [25, 1],
  ]);
});

it("says what no replica does: what is nobody's, of one that is gone, or not shared out yet, and which of it waits longest", () => {
  const [held, free, gone, unshared] = [
    "poll of one",
    "poll of nobody",
    "poll of a gone one",
    "poll of no claim",
  ] as const;
  const claims = [
    ...[claim(shardOf(held), "1"), claim(shardOf(free), null), claim(shardOf(gone), "3")],
    ...[claim("here", "1", "destination"), claim("there", null, "destination")],
  ];
  const times = [5_000, 9_000, 7_000, null];
  const lastPolls = new Map(
    [held, free, gone, unshared].map((key, at) => [key, times[at] ?? null]),
  );
  const replicas = [replica("1")];
  expect(unclaimedView(replicas, claims, lastPolls)).toEqual({
    polls: 3,
    destinations: 1,
    oldest_poll_at: "1970-01-01T00:00:07.000Z",
  });
  expect(unclaimedView(replicas, claims, new Map([[unshared, null]]))).toEqual({
    polls: 1,
    destinations: 1,
    oldest_poll_at: null,
  });
  expect(unclaimedView(replicas, claims.slice(0, 1), new Map([[held, 5_000]]))).toBeNull();
  const many = new Map(Array.from({ length: 200_000 }, (_, n) => [`poll ${n}`, 1_000 + n]));
  expect(unclaimedView(replicas, [], many)).toEqual({
    polls: 200_000,
    destinations: 0,
    oldest_poll_at: "1970-01-01T00:00:01.000Z",
  });
});
