/**
 * `state check` on Postgres: counts of what contradicts itself, as a dump that was restored by
 * halves would leave it.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeEvent } from "../support/make-event.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { PostgresStates } from "./postgres-states.ts";
import { START_MS as T0 } from "./temp-state.ts";

describe("tables that contradict each other", () => {
  let server: PostgresServer;
  let states: PostgresStates;
  beforeAll(async () => {
    server = await startPostgres();
    states = await PostgresStates.on(server);
  });
  afterAll(() => server.remove());

  test.each([
    ["delete from events", ["deliveries: 2 rows without a row in events"]],
    [
      "select setval('numbers_event', 1), setval('numbers_delivery', 1)",
      [
        "sequences: 1 row whose next number events has already",
        "sequences: 1 row whose next number deliveries has already",
      ],
    ],
    [
      "update deliveries set state = 'sealed'",
      ["deliveries: 2 rows that are in a message and name none"],
    ],
    ["update deliveries set message_id = 'm'", ["deliveries: 2 rows that wait and name a message"]],
    ["delete from watches", ["targets: 1 row without a row in watches"]],
  ])("%s", async (change, found) => {
    const store = await states.empty();
    await store.registerWatches(
      [{ id: "w", type: "search", targets: [{ key: "q", name: "q" }] }],
      T0,
    );
    const events = [makeEvent("1"), makeEvent("2")];
    const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: 0 };
    const deliveries = events.map(({ id }) => ({
      eventId: id,
      sink: "hook",
      groupKey: id,
      ...timing,
    }));
    await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events, deliveries });
    expect(await states.inconsistencies()).toEqual([]);
    await states.ask(`set session_replication_role = replica; ${change}`);
    expect(await states.inconsistencies()).toEqual(found);
  });
});
