import { expect, it } from "vitest";
import { pollsOfOthers } from "../../../src/app/views/replicas-view.ts";
import type { ReplicaState, WorkClaim } from "../../../src/model/replicas.ts";

const replica = (id: string): ReplicaState => ({ id, host: `10.0.0.${id}`, config: "c", isLeading: id === "1", joinedAtMs: 0 });
const claim = (key: string, by: string | null, kind: WorkClaim["kind"] = "poll"): WorkClaim => ({
  ...{ kind, key, cost: 1, replica: by, wanted: "1" },
});

it("knows which other replica makes a poll: not those that are its own, nobody's, or of one that is gone", () => {
  const claims = [claim("own", "1"), claim("other", "2"), claim("free", null), claim("gone", "3"), claim("place", "2", "destination")];
  expect(pollsOfOthers([replica("1"), replica("2")], claims, "1")).toEqual(new Map([["other", "10.0.0.2"]]));
});
