/**
 * What status and metrics ask for all the time is answered from indexes: the tables behind them
 * hold months.
 */
import {
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { expect, test } from "vitest";
import { days } from "../../src/state/history/days.ts";
import { findEvents, labelsSince } from "../../src/state/history/find-events.ts";
import { lastRefusals } from "../../src/state/history/refusals.ts";
import { groupDead } from "../../src/state/outbox/dead-letters.ts";
import { loadDriver } from "../../src/state/db/driver.ts";
import { countSilenced } from "../../src/state/outbox/silenced-deliveries.ts";
import { outboxStats } from "../../src/state/outbox/sink-health.ts";
import { countWaiting } from "../../src/state/outbox/waiting.ts";
import { prune } from "../../src/state/upkeep/prune.ts";
import type { Tables } from "../../src/state/db/tables.ts";
import { openTemp, memoryStatePath } from "./temp-state.ts";

const Database = loadDriver();

/** Knows no rows but those of `sinks`, and remembers what it was asked. */
class EmptyDriver extends DummyDriver {
  readonly asked: string[] = [];
  /** The sinks with messages that were sent or given up. */
  readonly sinks: { readonly sink: string }[] = [];
  override async acquireConnection(): Promise<DatabaseConnection> {
    const { asked, sinks } = this;
    return {
      async executeQuery<R>({ sql }: { sql: string }): Promise<QueryResult<R>> {
        asked.push(sql);
        const isSink = /^select "sink" from "messages"/.test(sql);
        return { rows: (isSink ? sinks.splice(0, 1) : []) as R[] };
      },
      streamQuery(): never {
        throw new Error("not asked for");
      },
    };
  }
}

/** The steps by which SQLite would answer each statement that `ask` sends. */
async function plansOf(
  ask: (db: Kysely<Tables>) => Promise<unknown>,
  sinks: readonly string[] = [],
): Promise<readonly string[]> {
  const driver = new EmptyDriver();
  driver.sinks.push(...sinks.map((sink) => ({ sink })));
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (on) => new SqliteIntrospector(on),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  await ask(db);
  const path = memoryStatePath();
  await openTemp(path);
  const state = new Database(path, { readonly: true });
  const plans = driver.asked.flatMap((sql) =>
    state
      .prepare<null[], { detail: string }>(`explain query plan ${sql}`)
      .all(...Array.from(sql.matchAll(/\?/g), () => null))
      .map(({ detail }) => detail),
  );
  state.close();
  return plans;
}

test("the figures of the outbox never walk through a whole table", async () => {
  const plans = await plansOf(
    async (db) => {
      await outboxStats(db);
      await countWaiting(db, 0);
      await groupDead(db, 0);
      await countSilenced(db);
      await lastRefusals(db, "a", 1);
    },
    ["b", "a", "b"],
  );
  expect(plans.length).toBeGreaterThan(1);
  const isBounded =
    /^(SCAN|SEARCH) \w+ (EXISTS )?USING (COVERING )?INDEX|^USE TEMP B-TREE|^CORRELATED|^SEARCH messages$|INTEGER PRIMARY KEY|^SCALAR SUBQUERY|^SCAN CONSTANT ROW/;
  expect(plans.filter((step) => !isBounded.test(step))).toEqual([]);
  // The order of ids is that of all messages.
  expect(plans.filter((step) => step.includes("(id>?)"))).toEqual([]);
  expect(plans).toContain("SCAN m USING INDEX messages_dead");
  const done = "INDEX messages_done (sink=? AND state=?)";
  expect(plans.filter((step) => step.endsWith(done))).toHaveLength(5);
});

test("the alerts of a day are sought once for each watch", async () => {
  const plans = await plansOf((db) => days(db).countAlerts(0, 1));
  expect(plans).toEqual([
    expect.stringMatching(/^SCAN w USING COVERING INDEX/),
    "SEARCH e USING COVERING INDEX events_watch_time (watch_key=? AND occurred_at>? AND occurred_at<?)",
    "SCALAR SUBQUERY 1",
    "SEARCH events USING COVERING INDEX events_seq",
  ]);
});

test("the alerts since an earlier count are sought among the newest events", async () => {
  const plans = await plansOf((db) => days(db).countAlerts(0, 1, { count: 0, lastSeq: 0 }));
  expect(plans).toContain("SEARCH e USING INDEX events_seq (seq>?)");
  expect(plans.filter((step) => step.startsWith("SCAN") && step !== "SCAN CONSTANT ROW")).toEqual(
    [],
  );
});

test("the search of past events finds both ends of the table without walking through it", async () => {
  const plans = await plansOf(async (db) => {
    await findEvents(db, { limit: 1 }, 0);
    await labelsSince(db, 0);
  });
  expect(plans).toHaveLength(4);
  expect(plans.filter((step) => !step.startsWith("SEARCH events"))).toEqual([]);
});

/** Tables with at most a row for each watch, or for what waits or is watched at the moment. */
const SMALL =
  /^SCAN (watches|threads|silences|clicks|rechecks|notes|learned|backfill_reads|backfill_tweets)\b/;

test("the daily pruning walks through no table of the past in one statement", async () => {
  const plans = await plansOf((db) =>
    prune(db, { nowMs: 0, retentionMs: 0, inUse: new Set(), pause: async () => undefined }),
  );
  expect(plans.length).toBeGreaterThan(10);
  expect(plans.filter((step) => step.startsWith("SCAN") && !SMALL.test(step))).toEqual([]);
});
