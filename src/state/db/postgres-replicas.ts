/**
 * The daemons that run on a state on Postgres, as the server sees them. The one that leads holds the lock "owner" on a session of its own.
 * Each has a row, and every transaction of a daemon checks that its row is there: one that was declared dead writes nothing more.
 */
import type { Client } from "pg";
import { lockName } from "./postgres-sessions.ts";

/** How the names of a daemon's sessions begin; a command's are others. */
export const DAEMON = "chirpwatch: daemon ";

export interface ActiveDaemon {
  /** The name of its sessions. */
  readonly name: string;
  /** Its address, as the server sees it. */
  readonly host: string;
  /** Since the session that holds the lock last asked something, by the server's clock. */
  readonly silentMs: number;
}

/** False when another session has it. */
export async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_lock(${lockName("owner")}) as held`);
  return rows[0]?.held === true;
}

/** Frees the lock for another one. */
export async function resign(client: Client, id: string): Promise<void> {
  await change(client, async () => void (await client.query("update replicas set leads = 0 where id = $1", [id])));
  await client.query(`select pg_advisory_unlock(${lockName("owner")})`);
}

const SILENT_MS = "(extract(epoch from clock_timestamp() - a.state_change) * 1000)::int";

/** An advisory lock with two numbers shows them as two object ids, and 2 as its kind. */
const ACTIVE = `
  select a.application_name as name, coalesce(host(a.client_addr), 'this host') as host, ${SILENT_MS} as "silentMs"
  from pg_locks l join pg_stat_activity a using (pid), (select ${lockName("owner")}) as name(one, two)
  where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and a.datname = current_database()
    and l.classid = name.one::oid and l.objid = (name.two::bigint & 4294967295)::oid`;

export async function findActive(client: Client): Promise<ActiveDaemon | undefined> {
  const { rows } = await client.query<ActiveDaemon>(ACTIVE);
  return rows[0];
}

/** A role may end the sessions of its own daemons. */
export async function endSessions(client: Client, name: string): Promise<void> {
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = $1 and datname = current_database() and usename = current_user and pid <> pg_backend_pid()`,
    [name],
  );
}

/** A daemon that has a row. */
export interface KnownReplica {
  readonly id: string;
  /** Since the last of its sessions asked something, by the server's clock; null where it has none. */
  readonly silentMs: number | null;
}

export const KNOWN_REPLICAS = `
  select r.id, min(${SILENT_MS}) as "silentMs" from replicas r
  left join pg_stat_activity a on a.application_name = '${DAEMON}' || r.id and a.datname = current_database() group by r.id`;

export const knownReplicas = async (client: Client): Promise<readonly KnownReplica[]> =>
  (await client.query<KnownReplica>(KNOWN_REPLICAS)).rows;

/** Its only value is 1 while the daemon has a row. Ids are of letters, digits, - and _. */
export const presenceText = (id: string): string => `select count(*)::int as present from replicas where id = '${id}'`;

export async function isPresent(client: Client, id: string): Promise<boolean> {
  const { rows } = await client.query<{ present: number }>(presenceText(id));
  return rows[0]?.present === 1;
}

export const enter = (client: Client, id: string, nowMs: number): Promise<void> =>
  change(client, async () => {
    await client.query(
      `insert into replicas (id, host, config, leads, joined_at)
       values ($1, coalesce(host(inet_client_addr()), 'this host'), '', 0, $2) on conflict (id) do nothing`,
      [id, nowMs],
    );
  });

export const lead = (client: Client, id: string): Promise<void> =>
  change(client, async () => {
    await client.query("update replicas set leads = case when id = $1 then 1 else 0 end", [id]);
  });

/** After all that they were writing: from here on they write nothing more. What they did belongs to nobody. */
export const remove = (client: Client, ids: readonly string[]): Promise<void> =>
  change(client, async () => {
    await client.query("delete from replicas where id = any($1)", [ids]);
    await client.query("update claims set replica = null where replica = any($1)", [ids]);
  });

async function change(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query("begin");
  try {
    await client.query(`select pg_advisory_xact_lock(${lockName("writers")})`);
    await work();
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}
