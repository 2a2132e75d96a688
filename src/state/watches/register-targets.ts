/**
 * Makes the stored targets of each watch equal to the configured ones. Targets may be new, known,
 * revived, renamed, merged or removed.
 */
import { STEP_SIZE, yieldAfter, yieldToEventLoop } from "../../model/steps.ts";
import type { TargetRegistration } from "../../model/watch-store.ts";
import { markReturned, type Return } from "./absence.ts";
import { toText } from "../db/json-text.ts";
import { nextNumbers } from "../db/sequence.ts";
import { type Executor, insertRows, listStatement } from "../db/statement.ts";
import { renamed, takeOver } from "./target-rows.ts";
import type { TargetRow } from "./watch-state.ts";

export interface WatchTargets {
  readonly watchKey: string;
  readonly targets: readonly TargetRegistration[];
  /**
   * Whether the watch is paused or disabled. A target that is configured again during that time is
   * not read before the watch is resumed.
   */
  readonly isAway: boolean;
  /**
   * Since when the watch was paused, disabled or removed, if it is polled again from now on;
   * otherwise null.
   */
  readonly returnedFromMs: number | null;
  /**
   * The time when the only feed of the watch was last read, in case a different feed replaces it.
   */
  readonly readUntilMs?: number | undefined;
}

const COLUMNS = [
  "id",
  "watch_key",
  "key",
  "name",
  "user_id",
  "username",
  "registered_at",
  "baseline_at",
  "memory",
  "revision",
  "status",
  "status_reason",
  "position",
  "known_items",
  "removed_at",
  "merged_into",
] as const;

const markRemoved = listStatement<{ nowMs: number }, number>()((on, ids, slot) =>
  on
    .updateTable("targets")
    .set({ removed_at: slot("nowMs") })
    .where("id", "in", ids),
);

const insertTargets = insertRows("targets", COLUMNS, (insert) => insert);

/**
 * Registers the targets of watches. Returns the rows of each watch in the order of its
 * registration; targets that follow the same account appear once.
 */
export async function registerTargets(
  on: Executor,
  watches: readonly WatchTargets[],
  nowMs: number,
): Promise<readonly (readonly TargetRow[])[]> {
  const stored = new Map<string, TargetRow[]>();
  const rows = await on.selectFrom("targets").selectAll().execute();
  await yieldAfter(rows);
  for (const row of rows) {
    const own = stored.get(row.watch_key);
    if (own === undefined) stored.set(row.watch_key, [row]);
    else own.push(row);
  }
  const registered: Registered[] = [];
  for (const watch of watches) {
    registered.push(await registerOne(on, watch, stored.get(watch.watchKey) ?? [], nowMs));
    if (registered.length % STEP_SIZE === 0) await yieldToEventLoop();
  }
  const created = registered.flatMap((watch) => watch.created);
  if (created.length > 0) {
    const numberOf = await nextNumbers(on, "target", created.length);
    created.forEach((row, i) => Object.assign(row, { id: numberOf(i) }));
    await insertTargets(on, created);
  }
  await markRemoved(
    on,
    registered.flatMap((watch) => watch.removed),
    { nowMs },
  );
  return registered.map(({ rows }) => rows);
}

interface Registered {
  /** The rows of the polled targets, in the order of the configuration. */
  readonly rows: readonly TargetRow[];
  /** Rows that are not inserted yet and have no id. */
  readonly created: readonly TargetRow[];
  /** The ids of targets that are no longer configured and not marked as removed yet. */
  readonly removed: readonly number[];
}

async function registerOne(
  on: Executor,
  watch: WatchTargets,
  stored: readonly TargetRow[],
  nowMs: number,
): Promise<Registered> {
  const rows = new Map(stored.map((row) => [row.key, row]));
  const named = new Set(watch.targets.map((target) => target.key));
  const kept: TargetRow[] = [];
  const created: TargetRow[] = [];
  const done = new Set<string>();
  for (const [position, target] of watch.targets.entries()) {
    if (done.has(target.key)) continue;
    done.add(target.key);
    const known = rows.get(target.key);
    const heir = known?.merged_into ?? null;
    if (heir !== null && named.has(heir)) continue;
    const holder =
      known === undefined
        ? holderOf(rows, target.userId)
        : known.merged_into === null
          ? undefined
          : rows.get(known.merged_into);
    if (holder !== undefined && named.has(holder.key)) {
      created.push({
        ...newTarget(watch.watchKey, target, position, nowMs),
        merged_into: holder.key,
      });
      continue;
    }
    const row =
      known === undefined && holder === undefined
        ? newTarget(watch.watchKey, target, position, nowMs)
        : undefined;
    if (row !== undefined) created.push(row);
    const place = { key: target.key, name: target.name, position };
    const settled =
      row ??
      (await keep(
        on,
        { known, holder, target, place },
        awayOf(watch, (holder ?? known)?.removed_at ?? null, nowMs),
      ));
    if (holder !== undefined) rows.delete(holder.key);
    rows.set(target.key, settled);
    kept.push(settled);
  }
  const left = [...rows.values()].filter((row) => !named.has(row.key) && row.removed_at === null);
  const [old, next] = [left[0], created[0]];
  if (old !== undefined && next !== undefined && left.length + created.length === 2)
    inheritTimeOf(old, next, watch);
  return { rows: kept, created, removed: left.map(({ id }) => id) };
}

/**
 * Lets a target that replaces another one begin where the old one was last read. What happened
 * after that was never read, so it is new for the replacement.
 */
function inheritTimeOf(
  old: TargetRow,
  next: TargetRow,
  { readUntilMs, isAway, returnedFromMs }: WatchTargets,
): void {
  if (readUntilMs === undefined || isAway || returnedFromMs !== null) return;
  next.registered_at = Math.min(
    next.registered_at,
    Math.max(readUntilMs, Number(old.registered_at)),
  );
}

/** Returns the row of this watch that already follows the account. */
function holderOf(
  rows: ReadonlyMap<string, TargetRow>,
  userId: string | undefined,
): TargetRow | undefined {
  if (userId === undefined) return undefined;
  for (const row of rows.values())
    if (row.user_id === userId && row.merged_into === null) return row;
  return undefined;
}

/** Returns since when the target was not polled, if it is polled again now; otherwise undefined. */
function awayOf(
  { isAway, returnedFromMs }: WatchTargets,
  removedAt: number | null,
  atMs: number,
): Return | undefined {
  const times = [returnedFromMs, removedAt].filter((time) => time !== null).map(Number);
  return isAway || times.length === 0 ? undefined : { fromMs: Math.min(...times), atMs };
}

interface Kept {
  readonly known: TargetRow | undefined;
  readonly holder: TargetRow | undefined;
  readonly target: TargetRegistration;
  readonly place: Pick<TargetRow, "key" | "name" | "position">;
}

async function keep(
  on: Executor,
  { known, holder, target, place }: Kept,
  away: Return | undefined,
): Promise<TargetRow> {
  const back = (row: TargetRow): TargetRow => (away === undefined ? row : markReturned(row, away));
  const write = async (row: TargetRow): Promise<TargetRow> => {
    await on.updateTable("targets").set(row).where("id", "=", row.id).execute();
    return row;
  };
  if (holder !== undefined && known !== undefined) {
    const row = await takeOver(on, holder, { ...known, ...place });
    return away === undefined ? row : write(back(row));
  }
  if (holder !== undefined) return write(back(renamed(holder, place)));
  const old = known as TargetRow;
  const next = {
    ...old,
    ...place,
    user_id: old.user_id ?? target.userId ?? null,
    removed_at: null,
  };
  const isSame =
    old.name === next.name &&
    old.position === next.position &&
    old.user_id === next.user_id &&
    old.removed_at === null;
  // The configuration keeps this string in memory anyway, so the row refers to it and not to a
  // copy.
  if (isSame && away === undefined) return { ...old, name: target.name };
  return write(back({ ...next, revision: old.revision + 1 }));
}

const newTarget = (
  watchKey: string,
  target: TargetRegistration,
  position: number,
  nowMs: number,
): TargetRow => ({
  id: 0,
  watch_key: watchKey,
  key: target.key,
  name: target.name,
  user_id: target.userId ?? null,
  username: null,
  registered_at: nowMs,
  baseline_at: null,
  memory: toText({}),
  revision: 0,
  status: "pending",
  status_reason: "",
  position,
  known_items: 0,
  removed_at: null,
  merged_into: null,
});
