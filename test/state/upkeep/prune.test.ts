/**
 * The daily pruning in pages: no statement reads or deletes more than a page of a table that grows
 * with the alerts, and where nothing is old it does not walk through them at all.
 */
import type { KyselyPlugin } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import type { Kysely } from "kysely";
import {
  configure,
  kyselyOver,
  openHandle,
  type SqliteHandle,
} from "../../../src/state/db/sqlite.ts";
import type { Tables } from "../../../src/state/db/tables.ts";
import { ROWS_PER_PAGE } from "../../../src/state/upkeep/pages.ts";
import { prune } from "../../../src/state/upkeep/prune.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { memoryStatePath } from "../temp-state.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 1_000 * DAY_MS;
const RETENTION_MS = 90 * DAY_MS;

interface State {
  readonly db: Kysely<Tables>;
  readonly handle: SqliteHandle;
}

function openState(): State {
  const handle = openHandle(memoryStatePath(), { readonly: false, mustExist: true });
  configure(handle);
  const db = kyselyOver(handle, createVirtualClock(0));
  onTestFinished(() => db.destroy());
  return { db, handle };
}

/** Adds so many alerts of a time, each sent in a message of its own, after those that are there. */
function addSent({ handle }: State, count: number, atMs: number): void {
  const rows = `with recursive n(i) as (select (select count(*) from events) + 1 as i
    union all select i + 1 from n where i < (select count(*) from events) + ${count})`;
  handle.exec(`
    insert into events (id, seq, type, watch_key, watch, watch_type, subject, labels, occurred_at,
      detected_at, body) ${rows} select 'e' || i, i, 't', 'k', 'w', 'search', i, '{}', ${atMs},
      ${atMs}, '{}' from n;
    insert into items (item_id, target_id, item_kind, verdict, detail, occurred_at, seen_at)
      select id, 1, 'tweet', 'event', '', detected_at, detected_at from events where true
      on conflict do nothing;
    insert into messages (id, seq, sink, group_key, sealed_at, state, attempts, next_attempt_at,
      done_at, error, body) select 'm' || seq, seq, 's' || seq % 3, id, detected_at, 'sent', 1,
      detected_at, detected_at, '', '{}' from events where true on conflict do nothing;
    insert into deliveries (id, event_id, sink, group_key, grouped, not_before, state, detail,
      due_at, created_at, message_id) select seq, id, 's' || seq % 3, id, 0, detected_at, 'sealed',
      '', detected_at, detected_at, 'm' || seq from events where true on conflict do nothing;
    insert into attempts (message_id, at, error)
      select 'm' || seq, detected_at, 'busy' from events where detected_at = ${atMs};
    insert into levels (event_id, sink, created_at, repeats) select id, 's', detected_at, 0
      from events where true on conflict do nothing;
    insert into edits (delivery_id, shown, versions, state, revision, attempts, wanted_at, due_at,
      error) select seq, '{}', '', 'done', 0, 0, 0, 0, '' from events where true
      on conflict do nothing;`);
}

interface Course {
  readonly statements: number;
  /** The most statements between two pauses. */
  readonly statementsAtOnce: number;
  /** The most rows that a statement returned or deleted. */
  readonly rowsAtOnce: number;
}

async function runPrune({ db }: State): Promise<Course> {
  let [statements, statementsAtOnce, rowsAtOnce, sincePause] = [0, 0, 0, 0];
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    // Each execution has a result, and a statement is compiled only once per process.
    async transformResult({ result }) {
      statements += 1;
      sincePause += 1;
      statementsAtOnce = Math.max(statementsAtOnce, sincePause);
      rowsAtOnce = Math.max(rowsAtOnce, result.rows.length, Number(result.numAffectedRows ?? 0n));
      return result;
    },
  };
  await prune(db.withPlugin(counting), {
    nowMs: NOW_MS,
    retentionMs: RETENTION_MS,
    inUse: new Set(),
    pause: async () => void (sincePause = 0),
  });
  return { statements, statementsAtOnce, rowsAtOnce };
}

const countOf = ({ handle }: State, table: string): unknown =>
  handle.prepare(`select count(*) from ${table}`).pluck().get();

test("where nothing is old, alerts, deliveries and messages take the same statements whatever their number", async () => {
  const state = openState();
  addSent(state, ROWS_PER_PAGE, NOW_MS - DAY_MS);
  // The first run compiles what is compiled once, and only compiling is counted.
  await runPrune(state);
  const few = await runPrune(state);
  addSent(state, 4 * ROWS_PER_PAGE, NOW_MS - DAY_MS);
  const many = await runPrune(state);
  // Items, attempts, levels and edits have no order in time: each page is a statement.
  expect(many.statements - few.statements).toBe(4 * 4);
  expect(many.statementsAtOnce).toBe(few.statementsAtOnce);
  expect(many.rowsAtOnce).toBe(ROWS_PER_PAGE);
  expect(countOf(state, "events")).toBe(5 * ROWS_PER_PAGE);
});

test("deletes what is old a page at a time, with pauses in between", async () => {
  const state = openState();
  addSent(state, 4 * ROWS_PER_PAGE, NOW_MS - 100 * DAY_MS);
  addSent(state, 10, NOW_MS - DAY_MS);
  const { statementsAtOnce, rowsAtOnce } = await runPrune(state);
  expect(rowsAtOnce).toBe(ROWS_PER_PAGE);
  expect(statementsAtOnce).toBeLessThan(30);
  for (const table of ["events", "items", "messages", "deliveries", "attempts", "levels", "edits"])
    expect([table, countOf(state, table)]).toEqual([table, 10]);
});

test("finds old alerts behind a page that was written while the clock was a year ahead", async () => {
  const state = openState();
  addSent(state, ROWS_PER_PAGE, NOW_MS + 365 * DAY_MS);
  addSent(state, 10, NOW_MS - 100 * DAY_MS);
  await runPrune(state);
  expect(countOf(state, "events")).toBe(ROWS_PER_PAGE);
});

test("ends where a pause ends it", async () => {
  const state = openState();
  addSent(state, 4 * ROWS_PER_PAGE, NOW_MS - 100 * DAY_MS);
  const stopped = new Error("stopped");
  const query = { nowMs: NOW_MS, retentionMs: RETENTION_MS, inUse: new Set<string>() };
  const pause = async (): Promise<void> => {
    throw stopped;
  };
  await expect(prune(state.db, { ...query, pause })).rejects.toBe(stopped);
  expect(countOf(state, "events")).toBe(4 * ROWS_PER_PAGE);
});
