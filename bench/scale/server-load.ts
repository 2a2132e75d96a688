/**
 * Reads how much work a Postgres server has done so far. Linux only: CPU time is read from /proc.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PostgresServer } from "../../test/support/postgres.ts";

export interface ServerLoad {
  /** The CPU time of all its processes, including those that have ended. */
  readonly cpuMs: number;
  /** The number of committed transactions. */
  readonly transactions: number;
}

const TICKS_A_SECOND = 100;

export async function readServerLoad(server: PostgresServer): Promise<ServerLoad> {
  const [row] = await server.ask(
    "postgres",
    "select sum(xact_commit)::float8 as n, current_setting('data_directory') as folder from pg_stat_database",
  );
  const main = Number(
    readFileSync(join(String(row?.["folder"]), "postmaster.pid"), "utf8").split("\n")[0],
  );
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const ticks = all.flatMap((pid) => {
    const of = statOf(pid);
    if (of === undefined) return [];
    if (Number(pid) === main) return [of.own + of.ended];
    return of.parent === main ? [of.own] : [];
  });
  return {
    cpuMs: (ticks.reduce((sum, one) => sum + one, 0) / TICKS_A_SECOND) * 1_000,
    transactions: Number(row?.["n"]),
  };
}

/**
 * proc_pid_stat(5): the 4th field is the parent, the 14th to 17th are the times of the process and
 * of its children that ended.
 */
function statOf(
  pid: string,
): { readonly parent: number; readonly own: number; readonly ended: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, own: user + system, ended: endedUser + endedSystem };
  } catch {
    // The process has ended meanwhile.
    return undefined;
  }
}
