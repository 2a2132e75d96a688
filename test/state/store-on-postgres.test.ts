/**
 * The Postgres store keeps the contract of every Store, and so do two that work on one state at the
 * same time.
 */
import { afterAll, afterEach, beforeAll, describe } from "vitest";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { describeInterleaved } from "./interleaved-contract.ts";
import { describeFollowUps } from "./follow-ups-contract.ts";
import { describeLevels } from "./levels-contract.ts";
import { describeEscalations } from "./escalations-contract.ts";
import { describeMarks } from "./marks-contract.ts";
import { describeSnoozes } from "./snoozes-contract.ts";
import { describeMembers } from "./members-contract.ts";
import { PostgresStates } from "./postgres-states.ts";
import { describeArchive } from "./archive-contract.ts";
import { describeReports } from "./reports-contract.ts";
import { describePartlyTaken } from "./partly-taken-contract.ts";
import { describeStore } from "./store-contract.ts";

describe("on Postgres", () => {
  let server: PostgresServer;
  let states: PostgresStates;
  beforeAll(async () => {
    server = await startPostgres();
    states = await PostgresStates.on(server);
  });
  afterAll(() => server.remove());
  // Whatever the contract has a Store do, its tables fit together.
  afterEach(async () => {
    const found = await states.inconsistencies();
    if (found.length > 0) throw new Error(found.join("\n"));
  });

  describeStore("Postgres", () => states.empty());
  describeMembers("Postgres", () => states.empty());
  describeEscalations("Postgres", () => states.empty());
  describeMarks("Postgres", () => states.empty());
  describeSnoozes("Postgres", () => states.empty());
  describeLevels("Postgres", () => states.empty());
  describeFollowUps("Postgres", () => states.empty());
  describeReports("Postgres", () => states.empty());
  describeArchive("Postgres", () => states.empty());
  describePartlyTaken("Postgres", () => states.empty());
  describeInterleaved("Postgres", async () => [await states.empty(), await states.open()]);
});
