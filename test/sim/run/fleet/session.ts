/**
 * The session that the membership of a replica holds on the simulated server. It does what the
 * statements of postgres-replicas.ts do on Postgres.
 */
import { CompiledQuery } from "kysely";
import type { ReplicaSession } from "../../../../src/state/membership/replica-session.ts";
import {
  DAEMON,
  LEAD,
  REMOVE,
  RESIGN,
} from "../../../../src/state/membership/postgres-replicas.ts";
import type { Life } from "../life.ts";
import type { ServerConnection, SimServer } from "./server.ts";
import { over, type Way } from "./way.ts";

/** The session's timeout for a connection and for an answer. */
const TIMEOUT_MS = 10_000;

const INSERT =
  "insert into replicas (id, host, config, leads, joined_at) values (?, ?, '', 0, ?) on conflict (id) do nothing";

export interface SessionOptions {
  readonly name: string;
  /** The address of the client, as the server sees it. */
  readonly host: string;
  readonly life: Pick<Life, "awake">;
  readonly way: Way;
}

/** Opens a session. @throws as the driver does */
export async function openSession(
  server: SimServer,
  options: SessionOptions,
): Promise<ReplicaSession> {
  const { name, life, way } = options;
  let ended = () => undefined as void;
  const connection = await way.pass(TIMEOUT_MS, () =>
    server.connect(name, () => way.later(() => void life.awake(ended))),
  );
  const session = sessionOn(server, connection, options, (onEnd) => (ended = onEnd));
  return over(way, TIMEOUT_MS, session, ["onEnd", "end"]);
}

function sessionOn(
  server: SimServer,
  connection: ServerConnection,
  { host, life, way }: SessionOptions,
  setEnded: (ended: () => void) => void,
): ReplicaSession {
  const read = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await server.read<Row>(connection, CompiledQuery.raw(text, [...values]))).rows;
  const change = (...statements: readonly Statement[]) => changeIn(server, connection, statements);
  return {
    async appliedMigrations() {
      const tables = await read("select name from sqlite_master where name = 'kysely_migration'");
      const names =
        tables.length === 0
          ? []
          : await read<{ readonly name: string }>(
              "select name from kysely_migration order by name",
            );
      return names.map(({ name: applied }) => applied);
    },
    tryLock: async () => server.lock(connection),
    async resign(id) {
      await change([RESIGN, [id]]);
      server.unlock(connection);
    },
    async findActive() {
      server.ask(connection);
      return server.leader === undefined ? undefined : { ...server.leader, host: "another host" };
    },
    async endSessions(ofName) {
      server.ask(connection);
      server.endAll(ofName, connection);
    },
    async knownReplicas() {
      const rows = await read<{ readonly id: string }>("select id from replicas order by id");
      return rows.map(({ id }) => ({ id, silentMs: server.silentMs(DAEMON + id) }));
    },
    isPresent: async (id) =>
      (await read("select id from replicas where id = ?", [id])).length === 1,
    enter: (id, nowMs) => change([INSERT, [id, host, nowMs]]),
    lead: (id) => change([LEAD, [id]]),
    async remove(ids) {
      await change(...ids.flatMap((id) => REMOVE.map((text): Statement => [text, [id]])));
      for (const id of ids) server.removed.add(DAEMON + id);
    },
    async readClock() {
      server.ask(connection);
      return server.nowMs();
    },
    listen: async (heard) =>
      server.listen(connection, (topic, from) =>
        way.later(() => void life.awake(() => heard(topic, from))),
      ),
    onEnd: setEnded,
    end: async () => server.end(connection),
  };
}

type Statement = readonly [text: string, values: readonly unknown[]];

async function changeIn(
  server: SimServer,
  connection: ServerConnection,
  statements: readonly Statement[],
): Promise<void> {
  await server.begin(connection);
  try {
    for (const [text, values] of statements)
      await server.write(connection, CompiledQuery.raw(text.replaceAll(/\$\d/g, "?"), [...values]));
    server.commit(connection);
  } catch (error) {
    server.rollback(connection);
    throw error;
  }
}
