/** The SQLite store keeps the contract of every Store, and what waits over a restart. */
import { expect, test } from "vitest";
import { makeEvent } from "../support/make-event.ts";
import { openTemp, START_MS as T0, tempStatePath } from "./temp-state.ts";
import { describeMembers } from "./members-contract.ts";
import { describeStore } from "./store-contract.ts";

describeStore("SQLite", () => openTemp(tempStatePath()));
describeMembers("SQLite", () => openTemp(tempStatePath()));

test("a group that waits is due at its time after a restart, with what comes later", async () => {
  const path = tempStatePath();
  const team = { sink: "hook", groupKey: "team", groupWaitMs: 60_000, groupIntervalMs: 0, notBeforeMs: T0 };
  const commit = async (subject: string, isLast = false) => {
    const store = await openTemp(path);
    const event = makeEvent(subject);
    await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events: [event], deliveries: [{ eventId: event.id, ...team }] });
    if (!isLast) await store.close();
    return store;
  };
  await commit("1");
  const store = await commit("2", true);
  expect(await store.nextDueAt(["hook"])).toBe(T0 + 60_000);
  const { groups } = await store.dueWork({ nowMs: T0 + 60_000, sinks: ["hook"], busy: new Set(), limit: 10 });
  expect(groups.map(({ members }) => members.map(({ event }) => event.subject))).toEqual([["1", "2"]]);
});
