/** Tests what joins and leaves mean to a watch that was away, and to one that filters members. */
import { describe, expect, it } from "vitest";
import type { RosterRule } from "../../../src/detect/roster.ts";
import type { TargetState } from "../../../src/model/watch-store.ts";
import type { OnReturn } from "../../../src/model/watch.ts";
import {
  evaluateMemberList,
  type MemberListContext,
} from "../../../src/polling/evaluate/evaluate-member-list.ts";
import type { MemberListObservation } from "../../../src/polling/read/read-member-list.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { followers } from "../../../src/watches/followers.ts";
import { makeUser } from "../../support/make-event.ts";
import { makeWatch, type WatchChanges } from "../../support/make-watch.ts";

const RETURN_MS = 1_000_000;
const MODES: readonly OnReturn[] = ["digest", "deliver", "skip"];

interface Facts {
  readonly changes?: WatchChanges;
  readonly away?: object;
  readonly joined?: readonly { readonly id: string; readonly joinedAtMs?: number }[];
  readonly absent?: readonly { readonly id: string; readonly seenAtMs: number }[];
  readonly rule?: Partial<RosterRule>;
}

/** Returns each event with whether it counts as missed, and each verdict. */
function evaluate({ changes = {}, away, joined = [], absent = [], rule = {} }: Facts) {
  const watch = makeWatch("w", "followers", { accounts: ["acme"] }, changes);
  const memory = { baseline_of: "followers", ...(away === undefined ? {} : { away }) };
  const target = {
    watchKey: "w",
    key: "acme",
    userId: "99",
    memory,
    status: "ok",
    baselineAtMs: 1,
    registeredAtMs: 0,
    revision: 1,
  };
  const members = joined.map(({ id, joinedAtMs }) => ({
    ...makeUser(id),
    ...(joinedAtMs === undefined ? {} : { followerDate: new Date(joinedAtMs).toISOString() }),
  }));
  const seen = {
    ...{
      members,
      step: "head",
      end: "known",
      memory: {},
      readAtMs: RETURN_MS + 1,
      completedScanAtMs: undefined,
      scanPages: 1,
    },
  } as unknown as MemberListObservation;
  const context: MemberListContext = {
    ...{
      hash: sha256,
      serviceClock: { now: () => 0, fromLocal: (ms) => ms, observe: () => undefined },
    },
    ...{
      detectedAtMs: RETURN_MS + 5,
      episode: "e",
      known: new Map(),
      profile: undefined,
      list: "followers",
    },
    rule: { joined: "follower.added", mode: "newest", ...rule },
    missed:
      absent.length === 0
        ? undefined
        : {
            absent: absent.map((one) => ({
              ...one,
              username: `user${one.id}`,
              displayName: "",
              followersCount: 5,
              imageUrl: "",
            })),
            ...{ memberCount: 50, previousAtMs: RETURN_MS },
          },
    subscription: {
      part: "follows",
      mode: "newest",
      isBaselined: true,
      partial: undefined,
      baselineAtMs: 1,
    },
  };
  const subscriber = {
    watch,
    type: followers,
    watchKey: "w",
    targetKey: "acme",
    targetName: "acme",
  };
  const { events, verdicts } = evaluateMemberList(
    subscriber,
    target as unknown as TargetState,
    seen,
    context,
  );
  return {
    events: events.map(({ event, isMissed = false }) => [event.type, event.subject, isMissed]),
    verdicts: verdicts.map(({ verdict }) => verdict),
  };
}

describe("who joined a list", () => {
  const dates = [undefined, RETURN_MS - 1, RETURN_MS + 1];
  const absences = [
    { name: "never away", away: undefined },
    { name: "back, and nothing was read", away: { from_ms: 1, to_ms: RETURN_MS } },
    {
      name: "back, and the newest were read",
      away: { from_ms: 1, to_ms: RETURN_MS, head_read: true },
    },
    { name: "back, and all was read", away: { from_ms: 1, to_ms: RETURN_MS, done: true } },
  ];
  const matrix = absences.flatMap((absence) =>
    dates.flatMap((date) => MODES.map((mode) => ({ ...absence, date, mode }))),
  );
  it.each(matrix)("%o", ({ name, away, date, mode }) => {
    const { events, verdicts } = evaluate({
      changes: { onReturn: mode },
      ...(away === undefined ? {} : { away }),
      joined: [{ id: "1", ...(date === undefined ? {} : { joinedAtMs: date }) }],
    });
    const isCatchingUp =
      name === "back, and nothing was read" || name === "back, and the newest were read";
    const isMissed =
      isCatchingUp &&
      (date === undefined ? name === "back, and nothing was read" : date <= RETURN_MS);
    const isSkipped = isMissed && mode === "skip";
    expect(events).toEqual(
      isSkipped ? [] : [["follower.added", "99/1", isMissed && mode === "digest"]],
    );
    expect(verdicts).toEqual([isSkipped ? "baseline" : "event"]);
  });
});

describe("who left a list", () => {
  const rule = { left: "follower.removed", mode: "whole" } as const;
  const matrix = [undefined, false, true].flatMap((done) =>
    [RETURN_MS - 9, RETURN_MS + 1].flatMap((seenAtMs) =>
      MODES.map((mode) => ({ done, seenAtMs, mode })),
    ),
  );
  it.each(matrix)("%o", ({ done, seenAtMs, mode }) => {
    const { events } = evaluate({
      ...{ changes: { onReturn: mode }, rule, absent: [{ id: "2", seenAtMs }] },
      ...(done === undefined ? {} : { away: { from_ms: 1, to_ms: RETURN_MS, done } }),
    });
    // Two reads in a row must miss an account. One that was seen after the last of these reads has
    // not left.
    const hasLeft = seenAtMs < RETURN_MS;
    const isMissed = done !== undefined && seenAtMs < RETURN_MS;
    expect(events).toEqual(
      !hasLeft || (isMissed && mode === "skip")
        ? []
        : [["follower.removed", "99/2", isMissed && mode === "digest"]],
    );
  });

  it.each([
    [
      "whom its where does not want",
      { where: { text: "x", matches: ({ user }) => user?.username !== "user2" } },
    ],
    ["whom it ignores by handle", { ignore: { authors: ["user2"], words: [] } }],
    ["whom it ignores by id", { ignore: { authors: ["id:2"], words: [] } }],
  ] as readonly (readonly [string, WatchChanges])[])(
    "is not reported to a watch of one %s, joining or leaving",
    (_name, changes) => {
      const absent = [
        { id: "2", seenAtMs: 5 },
        { id: "3", seenAtMs: 5 },
      ];
      expect(evaluate({ changes, rule, absent }).events).toEqual([
        ["follower.removed", "99/3", false],
      ]);
      const { events, verdicts } = evaluate({ changes, rule, joined: [{ id: "2" }, { id: "3" }] });
      expect([events, verdicts]).toEqual([
        [["follower.added", "99/3", false]],
        ["filtered", "event"],
      ]);
    },
  );
});
