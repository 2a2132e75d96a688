/**
 * Measures what the disk allows: commits of a single row, one after the other, with the durability
 * of a state. Delivery is compared with it.
 */
import { join } from "node:path";
import { loadDriver } from "../src/state/db/driver.ts";
import { inScratch } from "./scratch.ts";

const Database = loadDriver();
const COMMITS = 1_000;

export interface BareCommits {
  /** Commits a row. */
  commit(): void;
  close(): void;
}

export function openBareCommits(folder: string): BareCommits {
  const handle = new Database(join(folder, "bare.db"));
  handle.pragma("journal_mode = WAL");
  handle.pragma("synchronous = FULL");
  handle.exec("create table rows (id integer primary key, body text not null)");
  const insert = handle.prepare("insert into rows (body) values (?)");
  const body = "x".repeat(1_000);
  return { commit: () => void insert.run(body), close: () => void handle.close() };
}

/** Measures commits per second. */
export const bareCommitRate = (): Promise<number> =>
  inScratch(async (folder) => {
    const bare = openBareCommits(folder);
    const startMs = performance.now();
    for (let count = 0; count < COMMITS; count += 1) bare.commit();
    const tookMs = performance.now() - startMs;
    bare.close();
    return (COMMITS * 1_000) / tookMs;
  });
