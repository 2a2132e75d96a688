/**
 * The Store's queries compile for Postgres too: nothing of SQLite's is outside its adapter file.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import { expect, test } from "vitest";
import { GroupTimers } from "../../src/state/outbox/group-timers.ts";
import { insertDeliveries } from "../../src/state/outbox/insert-deliveries.ts";
import { MIGRATIONS } from "../../src/state/migrations/migrate.ts";
import { quieten } from "../../src/state/polls/quieten.ts";
import { createStore } from "../../src/state/store.ts";
import type { Tables } from "../../src/state/db/tables.ts";
import type { Json } from "../../src/model/json.ts";
import { closedBreaker } from "../../src/deliver/queue/sink-queue.ts";
import { findTarget } from "../../src/state/watches/target-rows.ts";
import { makeEvent } from "../support/make-event.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

/** Knows no rows but the targets given, and remembers what it was asked. */
class EmptyDriver extends DummyDriver {
  readonly asked: string[];
  readonly targets: readonly object[];
  constructor(asked: string[], targets: readonly object[]) {
    super();
    this.asked = asked;
    this.targets = targets;
  }
  override async acquireConnection(): Promise<DatabaseConnection> {
    const { asked, targets } = this;
    return {
      async executeQuery<R>({ sql }: { sql: string }): Promise<QueryResult<R>> {
        asked.push(sql);
        const isOfTargets =
          sql.startsWith('select * from "targets"') || sql.startsWith('select "t"."id", ');
        return { rows: (isOfTargets ? targets : []) as R[], numAffectedRows: 0n };
      },
      streamQuery(): never {
        throw new Error("not asked for");
      },
    };
  }
}

function postgres(targets: readonly object[] = []): { db: Kysely<Tables>; asked: string[] } {
  const asked: string[] = [];
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new EmptyDriver(asked, targets),
      createIntrospector: (on) => new PostgresIntrospector(on),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return { db, asked };
}

const SQLITE_ONLY = /\?|autoincrement|pragma|rowid|insert or|json_each|sqlite/i;

test("every method asks in Postgres's words", async () => {
  const { db, asked } = postgres();
  const clock = createVirtualClock(Date.UTC(2026, 0, 15));
  const now = clock.now();
  const store = createStore(db, { clock, random: createSeededRandom(1) }, async () => undefined);
  const event = makeEvent("1");
  const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: 0 };
  const delivery = {
    eventId: event.id,
    sink: "s",
    groupKey: "g",
    once: { key: "o", withinMs: 1, undo: { key: "p", summaryGroup: "s" } },
    ...timing,
  };
  for (const { up } of Object.values(MIGRATIONS)) await up(db);
  await store.saveLearned(
    "s",
    new Map<string, Json | null>([
      ["k", 1],
      ["l", null],
    ]),
  );
  await store.loadLearned("s", ["k"]);
  await store.registerWatches(
    [{ id: "w", type: "t", targets: [{ key: "k", name: "k", userId: "1" }] }],
    now,
  );
  await store
    .resolveTarget({ watchKey: "w", targetKey: "k" }, { userId: "1", username: "a" })
    .catch(() => undefined);
  await store.setTargetStatus({ watchKey: "w", targetKey: "k" }, "ok", "");
  await store.nameAccounts([{ watchKey: "w", handle: "a", userId: "1" }]);
  await store.setPaused("w", true, { atMs: now });
  await store.setPaused("w", false, { atMs: now, isFromNow: true });
  await store.listWatches();
  await store.loadSources(["a"]);
  await store.knownItems([{ watchKey: "w", targetKey: "k" }], ["1"]);
  await store.commitPoll({
    atMs: now,
    targets: [],
    verdicts: [],
    events: [event],
    deliveries: [delivery],
  });
  await store.dueRechecks(now, 100);
  await store.runRechecksNow("w", 1, 1);
  await store.eventsById(["1"]);
  await store.countEvents("w", [{ fromMs: 0, toMs: now }]);
  await store.newestEvent("w");
  await store.newestEvent("w", { type: "volume.spike", sinceMs: 0 });
  await insertDeliveries(db, [delivery], now);
  await new GroupTimers(db).dueAt(delivery, now);
  await findTarget(db, "w", "k");
  const source = { fingerprint: "a", expectedRevision: 0, polledAtMs: now, ok: true, memory: {} };
  await store.commitPoll({
    atMs: now,
    source,
    targets: [],
    verdicts: [],
    events: [],
    deliveries: [],
  });
  await store.reserve({
    endpoint: "e",
    watch: "w",
    billed: true,
    atMs: now,
    rate: { count: 1, intervalMs: 1 },
    holdMs: 1,
    limit: { sinceMs: 1, max: 9 },
  });
  await store.settle("1", now, null);
  await store.spentSince(1);
  await store.spentByHour(1);
  const reading = { ...(await store.auditMark("k", now, 1)), answeredId: 2 };
  await store.auditSpan("k", reading, reading);
  await store.dueWork({ nowMs: now, sinks: ["s"], busy: new Set(), limit: 1 });
  await store.nextDueAt(["s"]);
  const message = {
    id: "m",
    sink: "s",
    groupKey: "g",
    sealedAtMs: now,
    body: {},
    throttleKey: null,
    deliveryIds: ["1"],
  };
  await store.seal([message]).catch(() => undefined);
  await store.record([{ messageId: "m", kind: "sent", atMs: now }]);
  await store.lastMentions("s");
  const throttle = { sink: "s", throttleKey: "t", digestKey: "d" };
  await store.gather({ ...throttle, nowMs: now, digestDueAtMs: now });
  await store.throttleState({ ...throttle, sinceMs: now });
  await store.saveSinkHealth({ ...closedBreaker("s"), breaker: "open" });
  await store.loadSinkHealth();
  await store.listDead({ sinks: ["s"], messageIds: ["m"] }, 1);
  await store.groupDead(now);
  await store.unreportedDead();
  await store.markDeadReported(["m"], now);
  await store.acknowledgeDead({}, now);
  await store.resendDead({}, now, "alice");
  await store.findReplayable({ sinceMs: 1 });
  await store.replay({ deliveryIds: ["1"], added: [delivery], atMs: now, detail: {} });
  await store.auditRecords(1);
  await store.alertsOfMessages(["m"]);
  await store.wakeSink("s", now);
  await store.setTimesBack(1);
  await store.outboxStats();
  await store.explainItem("1");
  await store.dueCrosspost("s", now);
  await store.recordCrosspost({ messageId: "m", kind: "published", atMs: now });
  await store.recordCrosspost({
    messageId: "m",
    kind: "retry",
    nextAttemptAtMs: now,
    error: "e",
    countAttempt: true,
  });
  await store.expireCrossposts("s", { createdUntilMs: now, nowMs: now, reason: "r" });
  await store.crosspostOutlook("s");
  await store.markCrosspostsReported("s", now);
  await store.recentEvents(1);
  await store.recentRecords(1);
  await store.countWaiting(now);
  await store.findEvents({
    sinceMs: now,
    untilMs: now,
    watches: ["w"],
    onlyAlerts: true,
    author: "a",
    text: "t",
    state: "sent",
    limit: 1,
    before: "2",
  });
  await store.userIdOfHandle("a");
  await store.writeNote("n", 1);
  await store.readNote("n");
  await store.prune(now, 1, new Set());
  await store.proveWritable(now);
  expect(asked.length).toBeGreaterThan(60);
  expect(asked.filter((sql) => SQLITE_ONLY.test(sql))).toEqual([]);
});

test("a quiet restore asks in Postgres's words", async () => {
  const { db, asked } = postgres([
    {
      id: 1,
      watch_key: "w",
      key: "k",
      baseline_at: 1,
      registered_at: 0,
      revision: 0,
      memory: "{}",
    },
  ]);
  await quieten(db, { fromMs: 1, atMs: 2 });
  for (const table of ["targets", "deliveries", "groups", "crossposts"])
    expect(
      asked.some((sql) => sql.startsWith(`update "${table}"`)),
      table,
    ).toBe(true);
  expect(asked.filter((sql) => SQLITE_ONLY.test(sql))).toEqual([]);
});

test("members of lists are asked for and kept in Postgres's words", async () => {
  const { db, asked } = postgres([
    { id: 1, watch_key: "w", key: "k", merged_into: null, revision: 0, memory: "{}" },
  ]);
  const clock = createVirtualClock(Date.UTC(2026, 0, 15));
  const store = createStore(db, { clock, random: createSeededRandom(1) }, async () => undefined);
  const target = { watchKey: "w", targetKey: "k" };
  await store.knownMembers([target], ["1"]);
  await store.itemMarks([target], ["1"]);
  await store.absentMembers(target, clock.now());
  const member = { id: "1", username: "a", displayName: "A", followersCount: 1, imageUrl: "" };
  const members = [{ ...target, seenAtMs: clock.now(), seen: [member], left: ["2"] }];
  await store.commitPoll({
    atMs: clock.now(),
    targets: [],
    verdicts: [],
    members,
    events: [],
    deliveries: [],
  });
  expect(asked.filter((sql) => sql.includes('"members"')).map((sql) => sql.slice(0, 6))).toEqual([
    "select",
    "select",
    "select",
    "insert",
    "delete",
  ]);
  expect(asked.filter((sql) => SQLITE_ONLY.test(sql))).toEqual([]);
});

test("what removed watches knew is forgotten by one statement a table, however many targets they had", async () => {
  const { db, asked } = postgres(Array.from({ length: 400 }, (_, id) => ({ id, removed_at: 1 })));
  const store = createStore(
    db,
    { clock: createVirtualClock(0), random: createSeededRandom(1) },
    async () => undefined,
  );
  await store.prune(Date.UTC(2026, 0, 15), 90 * 86_400_000, new Set());
  for (const table of ["items", "members", "targets"])
    expect(asked.filter((sql) => sql.startsWith(`delete from "${table}"`))).toHaveLength(1);
});

test("only the adapter and those that open, copy or check the file import SQLite", () => {
  const room = join(import.meta.dirname, "../../src/state");
  const files = readdirSync(room, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const importing = files.filter((name) =>
    /from "\.[./\w]*\/(?:driver|sqlite(?:-\w+)?)\.ts"/.test(readFileSync(join(room, name), "utf8")),
  );
  expect(importing.sort()).toEqual([
    "db/sqlite-dialect.ts",
    "db/sqlite.ts",
    "files/lock.ts",
    "files/open-failures.ts",
    "migrations/create-newest.ts",
    "open-memory.ts",
    "open.ts",
    "upkeep/backup.ts",
    "upkeep/check.ts",
    "upkeep/restore.ts",
    "upkeep/set-by-hand.ts",
  ]);
});
