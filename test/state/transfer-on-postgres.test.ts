/**
 * A whole state goes from a file to Postgres and back: every row, in steps that can be taken up
 * again.
 */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parsePostgresUrl } from "../../src/config/text/postgres-url.ts";
import type { PostgresAddress } from "../../src/model/postgres-address.ts";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { copyState, type CopyStep } from "../../src/state/upkeep/copy-state.ts";
import type { OpenedStore, OpenOptions } from "../../src/state/open.ts";
import { openState } from "../../src/state/open-state.ts";
import { makeEvent } from "../support/make-event.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { memoryStatePath, rememberingLog, START_MS as T0 } from "./temp-state.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

async function open(
  where: { path: string; postgres?: PostgresAddress },
  options: Partial<OpenOptions> = {},
): Promise<OpenedStore> {
  const deps = { clock: createSystemClock(), random: createSeededRandom(1), log: rememberingLog() };
  const store = await openState({ ...where, ...deps, ...options });
  onTestFinished(() => store.close());
  return store;
}

const newDatabase = async () => ({
  path: memoryStatePath(),
  postgres: parsePostgresUrl(await server.url(), "/") as PostgresAddress,
});

/** More than one step takes. */
const EVENTS = 1_100;

/** A state with something in most tables. */
async function fill(store: OpenedStore, eventCount = EVENTS): Promise<void> {
  const [state] = await store.registerWatches(
    [{ id: "w", type: "timeline", targets: [{ key: "@a", name: "@a" }] }],
    T0,
  );
  const ref = { watchKey: state?.key ?? "", targetKey: "@a" };
  const events = Array.from({ length: eventCount }, (_, n) => makeEvent(String(n)));
  const verdict = {
    ...ref,
    itemKind: "tweet",
    verdict: "event",
    detail: "with a \0 in it",
    occurredAtMs: T0 + 0.5,
  } as const;
  const verdicts = events.map(({ subject, id }) => ({ ...verdict, itemId: subject, eventId: id }));
  const delivery = {
    sink: "hook",
    groupKey: "team",
    groupWaitMs: 9_000,
    groupIntervalMs: 0,
    notBeforeMs: 0,
  };
  const deliveries = events.map(({ id }) => ({ ...delivery, eventId: id }));
  await store.commitPoll({ atMs: T0, targets: [], verdicts, events, deliveries });
  const source = {
    fingerprint: "f",
    memory: { cursor: "x" },
    expectedRevision: 0,
    polledAtMs: T0,
    ok: true,
  };
  await store.commitPoll({
    atMs: T0,
    source,
    targets: [],
    verdicts: [],
    events: [],
    deliveries: [],
  });
  await store.reserve({
    endpoint: "s",
    watch: "w",
    billed: true,
    atMs: T0,
    rate: { count: 9, intervalMs: 1 },
    holdMs: 1,
  });
  await store.saveLearned("groups", new Map([["f", { strategy: "probe" }]]));
  await store.writeNote("origin", "https://data.example.com");
}

const ends = (from: OpenedStore, to: OpenedStore) =>
  [from, to].map(({ path, transfer }) => ({ name: path, transfer })) as [End, End];
type End = Parameters<typeof copyState>[0];

test("to Postgres and back, nothing is lost and work goes on", async () => {
  const file = await open({ path: memoryStatePath() });
  await fill(file);
  const database = await open(await newDatabase(), { halfTransferred: true });
  const steps: CopyStep[] = [];
  const counts = await copyState(...ends(file, database), (step) => steps.push(step));
  expect(counts.get("events")).toBe(EVENTS);
  expect(steps.at(-1)).toMatchObject({ doing: "comparing", doneRows: steps.at(-1)?.totalRows });
  expect((await database.listWatches())[0]).toMatchObject({ id: "w", knownItems: EVENTS });
  expect((await database.spentSince(T0)).total).toBe(1);
  expect(await database.loadLearned("groups")).toEqual(new Map([["f", { strategy: "probe" }]]));
  expect(await database.readNote("origin")).toBe("https://data.example.com");
  expect(await database.nextDueAt(["hook"])).toBe(T0 + 9_000);

  // New rows come after those that were copied.
  const event = makeEvent("new");
  await database.commitPoll({
    atMs: T0,
    targets: [],
    verdicts: [],
    events: [event],
    deliveries: [],
  });
  expect((await database.recentEvents(1)).map(({ id }) => id)).toEqual([event.id]);

  const back = await open({ path: memoryStatePath() }, { halfTransferred: true });
  await copyState(...ends(database, back), () => undefined);
  expect(await back.recentEvents(10)).toEqual(await database.recentEvents(10));
  expect(await back.explainItem("7")).toEqual(await database.explainItem("7"));
});

test("goes on where it stopped, and no daemon starts meanwhile", async () => {
  const file = await open({ path: memoryStatePath() });
  const events = 2 * EVENTS;
  await fill(file, events);
  const where = await newDatabase();
  const first = await open(where, { halfTransferred: true });
  const written: string[] = [];
  const stopping = copyState(...ends(file, first), ({ table }) => {
    written.push(table);
    if (written.filter((one) => one === "items").length === 2) throw new Error("the cable was cut");
  });
  await expect(stopping).rejects.toThrow("cable");
  await first.close();
  await expect(open(where)).rejects.toMatchObject({ code: "STATE_HALF_TRANSFERRED" });
  const second = await open(where, { halfTransferred: true });
  const steps: CopyStep[] = [];
  await copyState(...ends(file, second), (step) => steps.push(step));
  const copied = steps.filter(({ doing }) => doing === "copying");
  expect(copied[0]?.table).toBe("items");
  expect(copied.filter(({ table }) => table === "items")).toHaveLength(1);
  expect((await second.listWatches())[0]?.knownItems).toBe(events);
  await second.close();
  await open(where);
});

test("takes no state that is in use, and notices what differs", async () => {
  const file = await open({ path: memoryStatePath() });
  await fill(file);
  const used = await open(await newDatabase());
  await used.registerWatches([{ id: "other", type: "search", targets: [] }], T0);
  await expect(copyState(...ends(file, used), () => undefined)).rejects.toMatchObject({
    code: "STATE_IN_USE",
  });

  const where = await newDatabase();
  const database = await open(where, { halfTransferred: true });
  const changing = copyState(...ends(file, database), ({ table, doing }) => {
    if (doing === "copying" && table === "sequences")
      void file.writeNote("origin", "https://other.example.com");
  });
  await expect(changing).rejects.toMatchObject({ code: "STATE_COPY_DIFFERS" });
  await copyState(...ends(file, database), () => undefined);
  expect(await database.readNote("origin")).toBe("https://other.example.com");
});
