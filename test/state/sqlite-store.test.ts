/** The SQLite store keeps the contract of every Store, and what waits over a restart. */
import { expect, test } from "vitest";
import { makeEvent } from "../support/make-event.ts";
import { openTemp, START_MS as T0, memoryStatePath } from "./temp-state.ts";
import { describeFollowUps } from "./follow-ups-contract.ts";
import { describeLevels } from "./levels-contract.ts";
import { describeEscalations } from "./escalations-contract.ts";
import { describeMarks } from "./marks-contract.ts";
import { describeSnoozes } from "./snoozes-contract.ts";
import { describeMembers } from "./members-contract.ts";
import { describeArchive, describeEncoding } from "./archive-contract.ts";
import { describeReports } from "./reports-contract.ts";
import { describePartlyTaken } from "./partly-taken-contract.ts";
import { describeStore } from "./store-contract.ts";

describeStore("SQLite", () => openTemp(memoryStatePath()));
describeMembers("SQLite", () => openTemp(memoryStatePath()));
describeEscalations("SQLite", () => openTemp(memoryStatePath()));
describeMarks("SQLite", () => openTemp(memoryStatePath()));
describeSnoozes("SQLite", () => openTemp(memoryStatePath()));
describeLevels("SQLite", () => openTemp(memoryStatePath()));
describeFollowUps("SQLite", () => openTemp(memoryStatePath()));
describeReports("SQLite", () => openTemp(memoryStatePath()));
describeArchive("SQLite", () => openTemp(memoryStatePath()));
describeEncoding();
describePartlyTaken("SQLite", () => openTemp(memoryStatePath()));

test("a group that waits is due at its time after a restart", async () => {
  const path = memoryStatePath();
  const event = makeEvent("1");
  const delivery = {
    eventId: event.id,
    sink: "hook",
    groupKey: "team",
    groupWaitMs: 60_000,
    groupIntervalMs: 0,
    notBeforeMs: T0,
  };
  const first = await openTemp(path);
  await first.commitPoll({
    atMs: T0,
    targets: [],
    verdicts: [],
    events: [event],
    deliveries: [delivery],
  });
  await first.close();
  const store = await openTemp(path);
  expect(await store.nextDueAt(["hook"])).toBe(T0 + 60_000);
  const { groups } = await store.dueWork({
    nowMs: T0 + 60_000,
    sinks: ["hook"],
    busy: new Set(),
    limit: 10,
  });
  expect(groups.map(({ members }) => members.map(({ event: { subject } }) => subject))).toEqual([
    ["1"],
  ]);
});
