/**
 * Items per second from answer received to commit, beside a bare better-sqlite3 loop that inserts
 * the same rows, one transaction per poll, into the same tables with the same durability and the
 * same constraints.
 */
import { join } from "node:path";
import { createSystemClock } from "../src/runtime/system-clock.ts";
import { createSystemRandom } from "../src/runtime/system-random.ts";
import { loadDriver } from "../src/state/db/driver.ts";
import { openStore } from "../src/state/open.ts";
import type { Figure } from "./figure.ts";
import { createPollingHarness } from "./polling-harness.ts";
import { inScratch } from "./scratch.ts";
import { SILENT_LOG } from "./silent-log.ts";
import { quantile, median, wholeText } from "./summary.ts";
import { makeTweets } from "./tweets.ts";

const Database = loadDriver();

/** What a poll's commit adds rows to. */
const TABLES = ["items", "events", "deliveries"] as const;

interface Run {
  readonly items: number;
  /** Polls before those that count: a daemon that runs for months runs compiled code. */
  readonly warmUps: number;
  readonly polls: number;
}

export async function benchCommit(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const run of [
    { items: 20, warmUps: 200, polls: 1_000 },
    { items: 1_000, warmUps: 10, polls: 40 },
  ])
    figures.push(await inScratch((folder) => compare(folder, run)));
  return figures;
}

/** Ours and the bare loop take turns poll by poll, so that a busy disk slows both. */
async function compare(folder: string, { items, warmUps, polls }: Run): Promise<Figure> {
  const harness = await createPollingHarness({ folder });
  const bare = await openBare(folder, harness.path);
  const oursMs: number[] = [];
  const bareMs: number[] = [];
  for (let i = 0; i < warmUps + polls; i += 1) {
    const { outcome, answeredAtMs } = await harness.poll(makeTweets(items));
    const tookMs = performance.now() - answeredAtMs;
    if (outcome.events !== items) throw new Error(`${outcome.events} events of ${items} items`);
    const copiedMs = bare.copyNew();
    if (i < warmUps) continue;
    oursMs.push(tookMs);
    bareMs.push(copiedMs);
  }
  bare.close();
  await harness.close();
  const rate = (ms: readonly number[]) => wholeText((items * 1_000) / median(ms));
  const ratio = median(oursMs) / median(bareMs);
  return {
    name: `answer to commit, polls of ${wholeText(items)} items`,
    value: `${rate(oursMs)} items/s (bare loop ${rate(bareMs)}; ${ratio.toFixed(1)} times; p95 of a poll ${quantile(oursMs, 0.95).toFixed(1)} ms)`,
    ratios: { [`commit of ${wholeText(items)} items / bare loop`]: ratio },
  };
}

/** A second file with the same schema, filled with what is new in the first. */
async function openBare(
  folder: string,
  sourcePath: string,
): Promise<{ copyNew(): number; close(): void }> {
  const path = join(folder, "bare.db");
  await (
    await openStore({
      path,
      clock: createSystemClock(),
      random: createSystemRandom(),
      log: SILENT_LOG,
    })
  ).close();
  const source = new Database(sourcePath, { readonly: true });
  const target = new Database(path);
  target.pragma("journal_mode = WAL");
  target.pragma("synchronous = FULL");
  target.pragma("foreign_keys = ON");
  const tables = TABLES.map((name) => {
    const columns = source.prepare(`select * from ${name}`).columns();
    const slots = columns.map(() => "?").join(", ");
    return {
      read: source
        .prepare(`select rowid as at, * from ${name} where rowid > ? order by rowid`)
        .raw(),
      insert: target.prepare(`insert into ${name} values (${slots})`),
      lastRow: 0,
    };
  });
  return {
    copyNew() {
      const work = tables.map((table) => ({
        table,
        rows: table.read.all(table.lastRow) as unknown[][],
      }));
      const startMs = performance.now();
      target.transaction(() => {
        for (const { table, rows } of work) for (const [, ...row] of rows) table.insert.run(row);
      })();
      const tookMs = performance.now() - startMs;
      for (const { table, rows } of work) table.lastRow = Number(rows.at(-1)?.[0] ?? table.lastRow);
      return tookMs;
    },
    close() {
      source.close();
      target.close();
    },
  };
}
