/**
 * Makes the stored watches equal to the configured ones. `register-targets.ts` does the same for
 * their targets.
 */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { groupBy } from "../../model/group-by.ts";
import type { Random } from "../../model/random.ts";
import { forEachInSteps, yieldAfter, yieldBetween } from "../../model/steps.ts";
import {
  type ReadUntil,
  UNREADABLE,
  type WatchRegistration,
  type WatchState,
} from "../../model/watch-store.ts";
import { keepValue, keptValues } from "../db/housekeeping.ts";
import { toText } from "../db/json-text.ts";
import { registerTargets } from "./register-targets.ts";
import { type Executor, insertRows, listStatement, statement, transact } from "../db/statement.ts";
import { type StoredTarget, type StoredWatch, type WatchRow, watchState } from "./watch-state.ts";

/** The columns that registration changes. */
const CHANGED = ["id", "type", "position", "removed_at", "enabled", "away_at"] as const;

const upsertWatches = insertRows(
  "watches",
  ["key", "registered_at", "paused", "accounts", ...CHANGED],
  (insert) =>
    insert.onConflict((conflict) =>
      conflict.column("key").doUpdateSet((eb) => ({
        id: eb.ref("excluded.id"),
        type: eb.ref("excluded.type"),
        position: eb.ref("excluded.position"),
        removed_at: eb.ref("excluded.removed_at"),
        enabled: eb.ref("excluded.enabled"),
        away_at: eb.ref("excluded.away_at"),
      })),
    ),
);

/** The name of the stored digest of the last registration. */
const REGISTERED = "registered";
const digestOf = (watches: readonly WatchRegistration[]): string =>
  createHash("sha256").update(JSON.stringify(watches)).digest("base64url");

export interface Registering {
  readonly random: Random;
  readonly nowMs: number;
  readonly onWritten?: (() => void) | undefined;
  readonly readUntilMs?: ReadUntil | undefined;
}

/**
 * Registers watches. If the same watches are registered already, they are only read, which waits
 * for no other transaction.
 */
export async function registerWatches(
  db: Executor,
  watches: readonly WatchRegistration[],
  registering: Registering,
): Promise<readonly WatchState[]> {
  const digest = digestOf(watches);
  const isKnown = (await keptValues(db, [REGISTERED])).get(REGISTERED) === digest;
  const states = isKnown ? await listWatches(db) : undefined;
  if (states?.length === watches.length) return states;
  const registered = await transact(db, async (on) => {
    await keepValue(on, REGISTERED, digest);
    return registerAll(on, watches, registering);
  });
  registering.onWritten?.();
  return registered;
}

async function registerAll(
  on: Executor,
  watches: readonly WatchRegistration[],
  { random, nowMs, readUntilMs }: Registering,
): Promise<readonly WatchState[]> {
  const stored = await on.selectFrom("watches").selectAll().execute();
  const rows = matchWatches(stored, watches, random, nowMs);
  await writeWatches(on, stored, rows, nowMs);
  await yieldAfter(rows);
  const before = new Map(stored.map((row) => [row.key, row]));
  const returned = rows.map((row) =>
    row.away_at === null ? (before.get(row.key)?.away_at ?? null) : null,
  );
  const targets = await registerTargets(
    on,
    rows.map((row, i) => ({
      watchKey: row.key,
      targets: watches[i]?.targets ?? [],
      isAway: row.away_at !== null,
      returnedFromMs: returned[i] ?? null,
      readUntilMs: readUntilMs?.get(row.id),
    })),
    nowMs,
  );
  return statesOf(
    rows.map((row, i) => {
      const fromMs = returned[i] ?? null;
      return {
        row,
        targets: targets[i] ?? [],
        more: fromMs === null ? {} : { returnedFromMs: Number(fromMs) },
      };
    }),
  );
}

interface ReadWatch {
  readonly row: StoredWatch;
  readonly targets: readonly StoredTarget[];
  readonly more?: Pick<WatchState, "returnedFromMs">;
}

async function statesOf(watches: readonly ReadWatch[]): Promise<readonly WatchState[]> {
  const states: WatchState[] = [];
  await yieldBetween(
    forEachInSteps(watches, ({ row, targets, more }) =>
      states.push({ ...watchState(row, targets), ...more }),
    ),
  );
  return states;
}

/**
 * Returns the row of each registration: an existing one, the one that `moved_from` names, a removed
 * one, or a new one. If the type of a watch changes, the watch gets a new row, because data about
 * tweets, for example, is useless for a watch of followers.
 */
function matchWatches(
  stored: readonly WatchRow[],
  watches: readonly WatchRegistration[],
  random: Random,
  nowMs: number,
): WatchRow[] {
  const byName = latestByName(stored);
  const named = new Set(watches.map((watch) => watch.id));
  return watches.map((watch, position) => {
    const row = ownRow(byName, named, watch) ?? newRow(watch, random, nowMs);
    byName.delete(nameOf(watch));
    const enabled = watch.enabled === false ? 0 : 1;
    const isAway = enabled === 0 || row.paused === 1;
    return {
      ...row,
      id: watch.id,
      type: watch.type,
      position,
      removed_at: null,
      enabled,
      away_at: isAway ? (row.away_at ?? nowMs) : null,
    };
  });
}

function ownRow(
  byName: Map<string, WatchRow>,
  named: ReadonlySet<string>,
  watch: WatchRegistration,
): WatchRow | undefined {
  const own = byName.get(nameOf(watch));
  const { movedFrom } = watch;
  // A watch that is stored under its own name keeps its memory. A name that is still configured
  // cannot give its memory to another watch.
  if (own?.removed_at === null || movedFrom === undefined || named.has(movedFrom)) return own;
  const oldName = nameOf({ id: movedFrom, type: watch.type });
  const old = byName.get(oldName);
  if (old !== undefined) byName.delete(oldName);
  return old ?? own;
}

const nameOf = ({ id, type }: Pick<WatchRow, "id" | "type">): string => `${id}\n${type}`;

/** Returns one row per id and type: the active one, otherwise the one that was removed last. */
function latestByName(stored: readonly WatchRow[]): Map<string, WatchRow> {
  const age = (row: WatchRow) => Number(row.removed_at ?? Number.POSITIVE_INFINITY);
  return new Map(
    [...stored].sort((a, b) => (age(a) < age(b) ? -1 : 1)).map((row) => [nameOf(row), row]),
  );
}

const newRow = (watch: WatchRegistration, random: Random, nowMs: number): WatchRow => ({
  key: random.id(),
  id: watch.id,
  type: watch.type,
  registered_at: nowMs,
  paused: 0,
  position: 0,
  removed_at: null,
  accounts: toText({}),
  enabled: 1,
  away_at: null,
});

async function writeWatches(
  on: Executor,
  stored: readonly WatchRow[],
  rows: readonly WatchRow[],
  nowMs: number,
): Promise<void> {
  const before = new Map(stored.map((row) => [row.key, row]));
  const named = new Set(rows.map(({ key }) => key));
  const gone = stored.filter(({ key, removed_at }) => !named.has(key) && removed_at === null);
  const removed = gone.map((row) => ({ ...row, removed_at: nowMs, away_at: row.away_at ?? nowMs }));
  await upsertWatches(
    on,
    [...rows, ...removed].filter((row) => !isSame(before.get(row.key), row)),
  );
}

const isSame = (a: WatchRow | undefined, b: WatchRow): boolean =>
  CHANGED.every((name) => a?.[name] === b[name]);

/** The maximum number of ids in a statement. If more ids are wanted, all watches are read. */
const MAX_IDS = 500;

/**
 * Returns the configured watches in the order of the configuration: all of them, or those with
 * these ids.
 */
export async function listWatches(
  db: Executor,
  ids?: readonly string[],
): Promise<readonly WatchState[]> {
  if (ids?.length === 0) return [];
  if (ids !== undefined && ids.length > MAX_IDS) {
    const wanted = new Set(ids);
    return (await listWatches(db)).filter(({ id }) => wanted.has(id));
  }
  const { rows } = await (ids === undefined ? allWatches(db, {}) : watchesById(db, ids, {}));
  if (rows.length === 0) return [];
  const watches = [...rows].sort((a, b) => a.position - b.position);
  const { rows: targets } = await (ids === undefined
    ? allTargets(db, {})
    : targetsOf(
        db,
        watches.map(({ key }) => key),
        {},
      ));
  await yieldAfter(targets);
  const byWatch = groupBy(targets, (target) => target.watch_key);
  return statesOf(watches.map((row) => ({ row, targets: byWatch.get(row.key) ?? [] })));
}

const selectStopped = statement<object>()((on) =>
  on
    .selectFrom("watches as w")
    .select("w.id")
    .where("w.removed_at", "is", null)
    .where((eb) =>
      eb.or([
        eb("w.paused", "=", sql.lit(1)),
        eb.exists(
          eb
            .selectFrom("targets as t")
            .select("t.id")
            .whereRef("t.watch_key", "=", "w.key")
            .where("t.removed_at", "is", null)
            .where("t.merged_into", "is", null)
            .where("t.status", "in", UNREADABLE),
        ),
      ]),
    ),
);

export const stoppedWatches = async (db: Executor): Promise<readonly string[]> =>
  (await selectStopped(db, {})).rows.map(({ id }) => id);

/** Selects only the columns that are used: each takes as long to read as to use. */
const configured = (on: Executor) =>
  on
    .selectFrom("watches")
    .select(["key", "id", "type", "registered_at", "paused", "accounts", "position"])
    .where("removed_at", "is", null);
const allWatches = statement<object>()(configured);
const watchesById = listStatement<object, string>()((on, list) =>
  configured(on).where("id", "in", list),
);

const currentTargets = (on: Executor) =>
  on
    .selectFrom("targets")
    .select(["watch_key", "key", "name", "user_id", "username", "registered_at", "baseline_at"])
    .select(["memory", "revision", "status", "status_reason", "known_items"])
    .where("removed_at", "is", null)
    .where("merged_into", "is", null)
    .orderBy("position");
const allTargets = statement<object>()(currentTargets);
const targetsOf = listStatement<object, string>()((on, list) =>
  currentTargets(on).where("watch_key", "in", list),
);
