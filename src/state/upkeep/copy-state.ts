/**
 * Copies a whole state to another engine, table by table, in steps that can be continued after an
 * interruption. At the end all rows are compared.
 */
import { createHash } from "node:crypto";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { storable } from "../db/storable.ts";
import {
  TRANSFERRED,
  type Transfer,
  type TransferNote,
  type TransferRow,
  type TransferTable,
} from "./transfer.ts";

const ROWS_AT_ONCE = 1_000;

export interface StateEnd {
  readonly name: string;
  readonly transfer: Transfer;
}

export interface CopyStep {
  readonly doing: "copying" | "comparing";
  readonly table: TransferTable;
  readonly doneRows: number;
  readonly totalRows: number;
}

/**
 * Copies the state. Resolves to the number of rows by table. @throws ExitError if `to` is in use,
 * or if the rows differ afterwards
 */
export async function copyState(
  from: StateEnd,
  to: StateEnd,
  onStep: (step: CopyStep) => void,
): Promise<ReadonlyMap<TransferTable, number>> {
  const tables = Object.keys(TRANSFERRED) as TransferTable[];
  const begun = await beginOrResume(from, to);
  const counts = new Map<TransferTable, number>();
  for (const table of tables) counts.set(table, await from.transfer.count(table));
  const totalRows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let doneRows = 0;
  const step = (doing: CopyStep["doing"], table: TransferTable, rows: number) =>
    onStep({ doing, table, doneRows: (doneRows += rows), totalRows });
  const first = begun.table === null ? 0 : tables.indexOf(begun.table);
  for (const table of tables.slice(first)) {
    const after = table === begun.table ? begun.key : null;
    for await (const rows of pagesOf(from.transfer, table, after)) {
      await to.transfer.write(table, rows, {
        from: from.name,
        table,
        key: keyOf(table, rows.at(-1)),
      });
      step("copying", table, rows.length);
    }
  }
  doneRows = 0;
  for (const table of tables) {
    const [read, written] = [
      await digestOf(from.transfer, table),
      await digestOf(to.transfer, table),
    ];
    if (read !== written) throw await differs(from, to, table);
    step("comparing", table, counts.get(table) ?? 0);
  }
  await to.transfer.end();
  return counts;
}

async function beginOrResume(from: StateEnd, to: StateEnd): Promise<TransferNote> {
  const begun = await to.transfer.progress();
  if (begun?.from === from.name && begun.table !== null) return begun;
  if (begun === null && !(await to.transfer.isUnused()))
    throw new ExitError(EXIT.failed, "STATE_IN_USE", `${to.name} already contains a state.`, {
      hint: "Name an empty database, or a file that does not exist yet.",
    });
  await to.transfer.begin(from.name);
  return { from: from.name, table: null, key: null };
}

async function* pagesOf(
  transfer: Transfer,
  table: TransferTable,
  start: TransferNote["key"],
): AsyncGenerator<readonly TransferRow[]> {
  let after = start;
  for (;;) {
    const rows = await transfer.read(table, after, ROWS_AT_ONCE);
    if (rows.length === 0) return;
    yield rows;
    after = keyOf(table, rows.at(-1));
  }
}

const keyOf = (table: TransferTable, row: TransferRow | undefined): readonly (string | number)[] =>
  TRANSFERRED[table].map((column) => row?.[column] ?? "");

/**
 * Returns a digest of a table: the number of rows and a sum over them, which does not depend on
 * their order. Equal rows give the same digest on both engines.
 */
async function digestOf(transfer: Transfer, table: TransferTable): Promise<string> {
  let count = 0;
  let sum = 0n;
  for await (const rows of pagesOf(transfer, table, null))
    for (const row of rows) {
      count += 1;
      sum = BigInt.asUintN(128, sum + BigInt(`0x${hashOf(row)}`));
    }
  return `${count} ${sum.toString(16)}`;
}

function hashOf(row: TransferRow): string {
  const values = Object.entries(row).map(([column, value]) => [column, storable(value)] as const);
  const text = JSON.stringify(values.sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/**
 * Returns the error, and makes the next try start over, because the state that is read may have
 * changed between two tries.
 */
async function differs(from: StateEnd, to: StateEnd, table: TransferTable): Promise<ExitError> {
  await to.transfer.begin(from.name);
  return new ExitError(
    EXIT.storage,
    "STATE_COPY_DIFFERS",
    `The rows of ${table} differ between ${from.name} and ${to.name}.`,
    {
      hint: "Run the same command again: it starts over. The former state is unchanged.",
    },
  );
}
