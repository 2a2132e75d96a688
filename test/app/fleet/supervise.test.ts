/**
 * Tests that a replica keeps its share while its loops run, and gives it back when one of them
 * hangs.
 */
import { expect, it, onTestFinished } from "vitest";
import { MAX_TURN_MS, supervise } from "../../../src/app/fleet/supervise.ts";
import type { LogFields } from "../../../src/model/log.ts";
import { rememberingLog } from "../../state/temp-state.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const SECOND = 1_000;

/**
 * Creates a replica. `turns` has one entry for each loop. All loops make a turn every ten seconds,
 * except those that hang.
 */
function makeReplica() {
  const clock = createVirtualClock(0);
  const turns = new Map([
    ["polls", 0],
    ["sink chat", 0],
    ["share", 0],
  ]);
  const hanging = new Set<string>();
  const gaveUp: string[] = [];
  const named: string[] = [];
  const error = (_message: string, fields: LogFields = {}) =>
    void named.push(...(fields["loops"] as readonly string[]));
  const state = { isConnected: true };
  const turn = () => {
    for (const [name, count] of turns) if (!hanging.has(name)) turns.set(name, count + 1);
    clock.after(10 * SECOND, turn);
  };
  turn();
  const stop = supervise({
    clock,
    log: { ...rememberingLog(), error },
    membership: {
      isConnected: () => state.isConnected,
      giveUp: async (why) => void gaveUp.push(why),
    },
    loops: () =>
      new Map(
        [...turns].map(([name, count]) => [
          name,
          { turns: count, withinMs: name === "share" ? 5 * MAX_TURN_MS : MAX_TURN_MS },
        ]),
      ),
  });
  onTestFinished(stop);
  return { clock, hanging, gaveUp, named, state };
}

it("keeps its share while its loops wait, however long there is nothing to do", async () => {
  const { clock, gaveUp, named } = makeReplica();
  await clock.advance(3_600 * SECOND);
  expect([gaveUp, named]).toEqual([[], []]);
});

it("names a loop that makes no turn for a minute, and gives its share back soon after", async () => {
  const { clock, hanging, gaveUp, named } = makeReplica();
  await clock.advance(10 * SECOND);
  hanging.add("sink chat");
  await clock.advance(45 * SECOND);
  expect([gaveUp, named]).toEqual([[], []]);
  await clock.advance(15 * SECOND);
  expect([gaveUp, named]).toEqual([[], ["sink chat"]]);
  await clock.advance(20 * SECOND);
  expect([gaveUp, named]).toEqual([["a loop of this replica is stuck: sink chat"], ["sink chat"]]);
});

it("keeps its share where the loop goes on after it was named, and names it again the next time", async () => {
  const { clock, hanging, gaveUp, named } = makeReplica();
  for (const times of [1, 2]) {
    hanging.add("sink chat");
    await clock.advance(70 * SECOND);
    hanging.clear();
    await clock.advance(60 * SECOND);
    expect([gaveUp, named]).toEqual([[], Array.from({ length: times }, () => "sink chat")]);
  }
});

it("lets a restart of its work take longer", async () => {
  const { clock, hanging, gaveUp } = makeReplica();
  hanging.add("share");
  await clock.advance(280 * SECOND);
  expect(gaveUp).toEqual([]);
  await clock.advance(60 * SECOND);
  expect(gaveUp).toEqual(["a loop of this replica is stuck: share"]);
});

it("blames no loop for a state that is away", async () => {
  const { clock, hanging, gaveUp, state, named } = makeReplica();
  hanging.add("sink chat");
  for (const atMinute of [1, 2, 3]) {
    state.isConnected = false;
    await clock.advance(atMinute * 60 * SECOND);
    state.isConnected = true;
    await clock.advance(50 * SECOND);
  }
  expect([gaveUp, named]).toEqual([[], []]);
});
