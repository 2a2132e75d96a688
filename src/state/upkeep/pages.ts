/**
 * Walks through a table in the order of a key, a page at a time. No statement then reads or deletes
 * more than a page, and the process does other work in between.
 */

/** The number of rows that a statement reads or deletes. */
export const ROWS_PER_PAGE = 500;

/**
 * Lets the process do other work. A statement on SQLite does not, even though callers await it. It
 * may throw to end the walk.
 */
export type Pause = () => Promise<void>;

export interface PageRow<Key> {
  readonly key: Key;
  readonly isOld: boolean;
}

export interface TableWalk<Key> {
  /** The rows after a key, in the order of their keys; at most `ROWS_PER_PAGE`. */
  read(after: Key): Promise<readonly PageRow<Key>[]>;
  /**
   * Deletes what is old among the rows after one key, up to another key and including it. `old` has
   * the keys of the rows that were found to be old.
   */
  forget(after: Key, last: Key, old: readonly Key[]): Promise<unknown>;
  /**
   * Whether the walk ends at a page without an old row. For tables whose rows were written in the
   * order of their keys.
   */
  readonly endsAtNewRows?: boolean;
}

/** Walks from the first key after `start` and deletes what is old. */
export async function walkTable<Key>(
  start: Key,
  walk: TableWalk<Key>,
  pause: Pause,
): Promise<void> {
  let after = start;
  for (;;) {
    const rows = await walk.read(after);
    const last = rows.at(-1);
    if (last === undefined) return;
    const old = rows.flatMap(({ key, isOld }) => (isOld ? [key] : []));
    if (old.length > 0) await walk.forget(after, last.key, old);
    if (rows.length < ROWS_PER_PAGE || (old.length === 0 && walk.endsAtNewRows === true)) return;
    after = last.key;
    await pause();
  }
}

/** Repeats a deletion of at most a page until it deletes less. */
export async function repeatPages(forget: () => Promise<bigint>, pause: Pause): Promise<void> {
  while ((await forget()) >= ROWS_PER_PAGE) await pause();
}
