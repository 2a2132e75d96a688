/** Stores small named values of the daemon and of the store itself. */
import type { Json } from "../../model/json.ts";
import { StoreError } from "../../model/store-error.ts";
import { fromText, toText } from "../db/json-text.ts";
import { keepValue, keptValues } from "../db/housekeeping.ts";
import { type Executor, insertRows } from "../db/statement.ts";

/** Returns the value of a note; null if there is none. */
export async function readNote(db: Executor, name: string): Promise<Json | null> {
  const row = await db
    .selectFrom("notes")
    .select("value")
    .where("name", "=", name)
    .executeTakeFirst();
  return row === undefined ? null : fromText(row.value);
}

const upsertNote = insertRows("notes", ["name", "value"], (insert) =>
  insert.onConflict((conflict) =>
    conflict.column("name").doUpdateSet((eb) => ({ value: eb.ref("excluded.value") })),
  ),
);

export async function writeNote(db: Executor, name: string, value: Json): Promise<void> {
  await upsertNote(db, [{ name, value: toText(value) }]);
}

const CLEAN = "clean";

/**
 * Records whether the last process closed the store, because the file must be checked after an
 * unclean stop.
 */
export async function markClean(db: Executor, isClean: boolean): Promise<void> {
  await keepValue(db, CLEAN, toText(isClean));
}

export async function wasClean(db: Executor): Promise<boolean> {
  return (await keptValues(db, [CLEAN])).get(CLEAN) === "true";
}

/**
 * Proves that the state can be written, by writing a value. @throws StoreError, and
 * STORE_WRITE_FAILED also if something else has locked the state for too long
 */
export async function proveWritable(db: Executor, nowMs: number): Promise<void> {
  try {
    await keepValue(db, "probe", toText(nowMs));
  } catch (error) {
    if (error instanceof StoreError && error.failure !== "STORE_BUSY") throw error;
    const { message, hint } =
      error instanceof StoreError
        ? error
        : new StoreError("STORE_WRITE_FAILED", "The state cannot be written.");
    throw new StoreError("STORE_WRITE_FAILED", message, { hint, cause: error });
  }
}
