/**
 * Which daemon a state on Postgres belongs to. The active one holds the lock "owner" on a session of its own. Each that becomes active
 * counts the epoch up, and every transaction of a daemon checks its epoch: one that was replaced without noticing writes nothing more.
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

/** An advisory lock with two numbers shows them as two object ids, and 2 as its kind. */
const ACTIVE = `
  select a.application_name as name, coalesce(host(a.client_addr), 'this host') as host,
    greatest(0, extract(epoch from clock_timestamp() - a.state_change) * 1000)::int as "silentMs"
  from pg_locks l join pg_stat_activity a using (pid), (select ${lockName("owner")}) as name(one, two)
  where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and a.datname = current_database()
    and l.classid = name.one::oid and l.objid = (name.two::bigint & 4294967295)::oid`;

export async function findActive(client: Client): Promise<ActiveDaemon | undefined> {
  const { rows } = await client.query<ActiveDaemon>(ACTIVE);
  return rows[0];
}

/** The addresses of the daemons that stand by: `own` names the sessions of the one that asks. */
export const standbysText = (own: string): string => `
  select distinct application_name, coalesce(host(client_addr), 'this host') as host from pg_stat_activity
  where datname = current_database() and application_name like '${DAEMON}%' and application_name <> '${own}' order by host`;

/** A role may end the sessions of its own daemons. */
export async function endSessions(client: Client, name: string): Promise<void> {
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = $1 and datname = current_database() and usename = current_user and pid <> pg_backend_pid()`,
    [name],
  );
}

/** The last statement's only row is the epoch. */
export const EPOCH_TEXT = "select value from housekeeping where name = 'epoch'";

export async function readEpoch(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ value: string }>(EPOCH_TEXT);
  return rows[0]?.value;
}

/** After all that its predecessor was writing. */
export async function nextEpoch(client: Client): Promise<string> {
  await client.query("begin");
  await client.query(`select pg_advisory_xact_lock(${lockName("writers")})`);
  const { rows } = await client.query<{ value: string }>(
    `insert into housekeeping (name, value) values ('epoch', '1')
     on conflict (name) do update set value = (housekeeping.value::bigint + 1)::text returning value`,
  );
  await client.query("commit");
  return rows[0]?.value ?? "";
}
