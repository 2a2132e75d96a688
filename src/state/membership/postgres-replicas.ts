/**
 * Manages the daemons that run on a state on Postgres, as the server sees them. The leader holds
 * the lock "owner" on a session of its own. Each daemon has a row in `replicas`, and each of its
 * transactions checks that the row exists, so a daemon that was declared dead writes nothing more.
 */
import type { Client } from "pg";
import type { PostgresAddress } from "../../model/postgres-address.ts";
import { connectSession, lockName, TRANSACTION_LIMITS } from "../db/postgres-sessions.ts";
import { LISTEN } from "./postgres-signals.ts";
import type { ActiveDaemon, KnownReplica, ReplicaSession } from "./replica-session.ts";

/** The prefix of the names of a daemon's sessions. Sessions of commands have other names. */
export const DAEMON = "chirpwatch: daemon ";

const ANSWER_TIMEOUT_MS = 10_000;
/** Lets the server detect, too, that a host is gone. */
const SERVER_KEEPALIVE =
  "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

const SILENT_MS = "(extract(epoch from clock_timestamp() - a.state_change) * 1000)::int";

/**
 * Finds the session that holds the leader's lock. `pg_locks` shows the two numbers of an advisory
 * lock as `classid` and `objid`, with the `objsubid` 2.
 */
const ACTIVE = `
  select a.application_name as name, coalesce(host(a.client_addr), 'this host') as host, ${SILENT_MS} as "silentMs"
  from pg_locks l join pg_stat_activity a using (pid), (select ${lockName("owner")}) as name(one, two)
  where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and a.datname = current_database()
    and l.classid = name.one::oid and l.objid = (name.two::bigint & 4294967295)::oid`;

export const KNOWN_REPLICAS = `
  select r.id, min(${SILENT_MS}) as "silentMs" from replicas r
  left join pg_stat_activity a on a.application_name = '${DAEMON}' || r.id and a.datname = current_database() group by r.id`;

/** Ends all sessions of a name except the one that asks. A role may end only its own sessions. */
const END_SESSIONS = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = $1 and datname = current_database() and usename = current_user and pid <> pg_backend_pid()`;

const ENTER = `
  insert into replicas (id, host, config, leads, joined_at)
  values ($1, coalesce(host(inet_client_addr()), 'this host'), '', 0, $2) on conflict (id) do nothing`;

export const LEAD = "update replicas set leads = case when id = $1 then 1 else 0 end";
export const RESIGN = "update replicas set leads = 0 where id = $1";
/**
 * The statements that remove a replica: it writes nothing more, and its work belongs to no replica.
 */
export const REMOVE = [
  "delete from replicas where id = $1",
  "update claims set replica = null where replica = $1",
] as const;

/**
 * Returns a query whose only value is 1 while the daemon has a row. The id needs no escaping,
 * because it consists of letters, digits, - and _.
 */
export const presenceText = (id: string): string =>
  `select cast(count(*) as int) as present from replicas where id = '${id}'`;

/** Tries to take the lock of the leader. Resolves to false if another session has it. */
export async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(
    `select pg_try_advisory_lock(${lockName("owner")}) as held`,
  );
  return rows[0]?.held === true;
}

/**
 * Returns the names of the migrations that the state has been through; an empty list if it has no
 * tables yet.
 */
export async function migrationsOf(client: Client): Promise<readonly string[]> {
  const { rows: tables } = await client.query(
    "select tablename from pg_tables where schemaname = current_schema() and tablename = 'kysely_migration'",
  );
  if (tables.length === 0) return [];
  const { rows } = await client.query<{ name: string }>(
    "select name from kysely_migration order by name",
  );
  return rows.map(({ name }) => name);
}

/** Opens the session of a replica. @throws what `pg` throws */
export const connectReplica = async (
  address: PostgresAddress,
  name: string,
): Promise<ReplicaSession> =>
  replicaSession(await connectSession(address, { name, answerTimeoutMs: ANSWER_TIMEOUT_MS }));

const replicaSession = (client: Client): ReplicaSession => ({
  appliedMigrations: () => migrationsOf(client),
  tryLock: () => tryLock(client),
  async resign(id) {
    await change(client, [RESIGN, [id]]);
    await client.query(`select pg_advisory_unlock(${lockName("owner")})`);
  },
  findActive: async () => (await client.query<ActiveDaemon>(ACTIVE)).rows[0],
  endSessions: async (name) => void (await client.query(END_SESSIONS, [name])),
  knownReplicas: async () => (await client.query<KnownReplica>(KNOWN_REPLICAS)).rows,
  isPresent: async (id) =>
    (await client.query<{ present: number }>(presenceText(id))).rows[0]?.present === 1,
  enter: (id, nowMs) => change(client, [ENTER, [id, nowMs]]),
  lead: (id) => change(client, [LEAD, [id]]),
  remove: (ids) =>
    change(client, ...ids.flatMap((id) => REMOVE.map((text): Statement => [text, [id]]))),
  async readClock() {
    const { rows } = await client.query<{ now: number }>(
      "select extract(epoch from clock_timestamp()) * 1000 as now",
    );
    return Number(rows[0]?.now);
  },
  async listen(heard) {
    await client.query(`${SERVER_KEEPALIVE}; ${TRANSACTION_LIMITS}`);
    client.on("notification", ({ payload = "" }) => {
      const [topic = "", from = ""] = payload.split(" ");
      heard(topic, from);
    });
    await client.query(LISTEN);
  },
  onEnd: (ended) => void client.once("end", ended),
  end: () => client.end(),
});

type Statement = readonly [text: string, values: readonly unknown[]];

async function change(client: Client, ...statements: readonly Statement[]): Promise<void> {
  await client.query("begin");
  try {
    await client.query(`select pg_advisory_xact_lock(${lockName("writers")})`);
    for (const [text, values] of statements) await client.query(text, [...values]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}
