/**
 * Runs several daemons on one Postgres, each in a folder of its own, as if on a machine of its own.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { StatusView } from "../../src/server/schema/status-view.ts";
import type { PostgresServer } from "../../test/support/postgres.ts";
import { type ConfigOptions, writeConfigFolder } from "../config-text.ts";
import { type DaemonProcess, startDaemonProcess } from "../daemon-process.ts";

export interface Replica extends DaemonProcess {
  /** Returns the status. Takes seconds with many watches. */
  status(): Promise<StatusView>;
  /** Returns whether it is ready, which it is not while its work is replaced. */
  isReady(): Promise<boolean>;
}

/** Resolves when its status page is up. */
export async function startReplica(folder: string, options: ConfigOptions): Promise<Replica> {
  await mkdir(folder);
  const path = join(folder, "watches");
  await writeConfigFolder(path, options);
  const daemon = startDaemonProcess(path);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await daemon.said("status page is up"))?.[0];
  return {
    ...daemon,
    status: async () => (await fetch(`${url}/api/v1/status`)).json() as Promise<StatusView>,
    isReady: async () => (await fetch(`${url}/readyz`)).ok,
  };
}

/** The Postgres server and database that the replicas share. */
export interface Shared {
  readonly server: PostgresServer;
  readonly database: string;
}

/** Shares are compared by cost, because the cost of shards differs. */
const PARTS = `select sum(c.cost)::float as cost, sum(c.cost) filter (where c.wanted = c.replica)::float as held
  from replicas r left join claims c on c.replica = r.id and c.kind = 'poll' group by r.id`;
const CHECK_EVERY_MS = 100;

/** Waits until each of this many replicas has its share of the polls. */
export async function untilShared({ server, database }: Shared, replicas: number): Promise<void> {
  for (;;) {
    const parts = (await server.ask(database, PARTS)) as readonly {
      readonly cost: number;
      readonly held: number;
    }[];
    const mean = parts.reduce((sum, { held }) => sum + held, 0) / replicas;
    const isEven = parts.every(
      ({ cost, held }) => held > 0 && cost === held && Math.abs(held - mean) <= mean * 0.1,
    );
    if (parts.length === replicas && isEven) return;
    await pause(CHECK_EVERY_MS);
  }
}

export async function untilReady(replicas: readonly Replica[]): Promise<void> {
  for (const replica of replicas) while (!(await replica.isReady())) await pause(CHECK_EVERY_MS);
}

/** Returns the index of the leader. */
export async function leaderOf(replicas: readonly Replica[]): Promise<number> {
  const leads = await Promise.all(
    replicas.map(async (one) =>
      (await one.status()).replicas?.some((view) => view.answers && view.leads),
    ),
  );
  return leads.indexOf(true);
}
