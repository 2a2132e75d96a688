import { expect, it } from "vitest";
import type { CommitResult, PollCommit } from "../../../src/model/poll-store.ts";
import { JointCommit } from "../../../src/polling/run/joint-commit.ts";
import { makeEvent } from "../../support/make-event.ts";

const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: 0 };
/** Returns the commit of a poll that found tweets with these ids, oldest first. */
function commitOf(key: string, ...tweetIds: readonly string[]): PollCommit {
  const events = tweetIds.map((id) => makeEvent(id, { id: `e${id}`, watchKey: key }));
  return {
    atMs: Number(tweetIds[0] ?? 0),
    source: { fingerprint: key, expectedRevision: 1, polledAtMs: 1, ok: true },
    ...{ targets: [], verdicts: [], events },
    deliveries: events.map(({ id }) => ({ eventId: id, sink: "s", groupKey: id, ...timing })),
  };
}

/**
 * Creates a state that records commits. `refuses` has the keys of polls that were changed
 * meanwhile.
 */
function makeStore(refuses: ReadonlySet<string> = new Set()) {
  const commits: PollCommit[] = [];
  const keysOf = ({ source, sources = [] }: PollCommit) =>
    [...(source === undefined ? [] : [source]), ...sources].map((one) => one.fingerprint);
  const commitPoll = async (commit: PollCommit): Promise<CommitResult> => {
    if (keysOf(commit).some((key) => refuses.has(key))) return { status: "conflict" };
    commits.push(commit);
    return { status: "committed", created: new Set(commit.events.map(({ id }) => id)) };
  };
  return {
    store: { commitPoll },
    committed: () =>
      commits.map((commit) => [keysOf(commit), commit.deliveries.map(({ eventId }) => eventId)]),
  };
}

it("commits all in one transaction, oldest first, and gives each what it created", async () => {
  const { store, committed } = makeStore();
  const joint = new JointCommit(store, 3);
  const commits = [commitOf("a", "101", "104"), commitOf("b", "102", "103"), commitOf("c")];
  const results = await Promise.all(
    commits.map((commit) => joint.run(({ commitPoll }) => commitPoll(commit))),
  );
  expect(committed()).toEqual([
    [
      ["a", "b", "c"],
      ["e101", "e102", "e103", "e104"],
    ],
  ]);
  expect(results).toEqual(
    [["e101", "e104"], ["e102", "e103"], []].map((ids) => ({
      status: "committed",
      created: new Set(ids),
    })),
  );
});

it("commits each by itself where one was changed meanwhile, and that one again", async () => {
  const refused = new Set(["a"]);
  const { store, committed } = makeStore(refused);
  const joint = new JointCommit(store, 2);
  const first = joint.run(async ({ commitPoll }) => {
    expect(await commitPoll(commitOf("a", "101"))).toEqual({ status: "conflict" });
    refused.delete("a");
    return commitPoll(commitOf("a", "101"));
  });
  const second = joint.run(({ commitPoll }) => commitPoll(commitOf("b", "102")));
  expect(await Promise.all([first, second])).toMatchObject([
    { status: "committed" },
    { status: "committed" },
  ]);
  expect(committed().map(([keys]) => keys)).toEqual([["b"], ["a"]]);
});

it("waits for none that ends without a commit", async () => {
  const { store, committed } = makeStore();
  const joint = new JointCommit(store, 3);
  const failed = joint.run(() => Promise.reject(new Error("broken")));
  const commits = joint.run(({ commitPoll }) => commitPoll(commitOf("b", "102")));
  await expect(failed).rejects.toThrow("broken");
  await joint.run(async () => "nothing to commit");
  expect(await commits).toMatchObject({ status: "committed" });
  expect(committed()).toEqual([[["b"], ["e102"]]]);
});

it("fails all where the state takes nothing", async () => {
  const joint = new JointCommit({ commitPoll: () => Promise.reject(new Error("disk full")) }, 2);
  const runs = ["a", "b"].map((key) =>
    joint.run(({ commitPoll }) => commitPoll(commitOf(key, "101"))),
  );
  expect((await Promise.allSettled(runs)).map(({ status }) => status)).toEqual([
    "rejected",
    "rejected",
  ]);
});
