import { expect, it } from "vitest";
import { pollsOfOthers, replicaViews } from "../../../src/app/views/replicas-view.ts";
import type { ReplicaState, WorkClaim } from "../../../src/model/replicas.ts";

const replica = (id: string): ReplicaState => ({ id, name: `r${id}`, config: "c", isLeading: id === "1", joinedAtMs: 0 });
const claim = (key: string, by: string | null, kind: WorkClaim["kind"] = "poll"): WorkClaim => ({
  ...{ kind, key, cost: 1, replica: by, wanted: "1" },
});

it("knows which other replica makes a poll: not those that are its own, nobody's, or of one that is gone", () => {
  const claims = [claim("own", "1"), claim("other", "2"), claim("free", null), claim("gone", "3"), claim("place", "2", "destination")];
  expect(pollsOfOthers([replica("1"), replica("2")], claims, "1")).toEqual(new Map([["other", "r2"]]));
});

it("says what part of the requests of all polls each replica makes, and how many destinations it has", () => {
  const claims = [{ ...claim("a", "1"), cost: 3 }, claim("b", "2"), claim("place", "2", "destination")];
  const views = replicaViews([replica("1"), replica("2")], claims, "1");
  expect(views.map((view) => [view.polls_percent, view.destinations])).toEqual([
    [75, 0],
    [25, 1],
  ]);
});
