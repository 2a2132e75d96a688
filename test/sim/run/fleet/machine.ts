/**
 * The place for one life of a replica: its connections to the simulated server, which end with it,
 * and its state, opened as on Postgres.
 */
import { Kysely } from "kysely";
import type { Adapters } from "../../../../src/app/daemon/daemon-deps.ts";
import { sleep } from "../../../../src/model/clock.ts";
import { PostgresMembership } from "../../../../src/state/membership/postgres-membership.ts";
import { DAEMON } from "../../../../src/state/membership/postgres-replicas.ts";
import { PostgresSignals } from "../../../../src/state/membership/postgres-signals.ts";
import type { Tables } from "../../../../src/state/db/tables.ts";
import type { OpenedStore } from "../../../../src/state/open.ts";
import { pendingMigrations, migratedState } from "../../../../src/state/migrations/migrate.ts";
import { quieten } from "../../../../src/state/polls/quieten.ts";
import { createStore } from "../../../../src/state/store.ts";
import { findInconsistencies } from "../../../../src/state/upkeep/inconsistencies.ts";
import type { Disk } from "../disk.ts";
import type { Life } from "../life.ts";
import { createDriver } from "./connection.ts";
import type { SimServer } from "./server.ts";
import { openSession } from "./session.ts";
import { Way } from "./way.ts";

export interface Machine extends Pick<Disk, "onCommit" | "kill"> {
  openStore(request: Parameters<Adapters["openStore"]>[0], life: Life): Promise<OpenedStore>;
  /** Cuts its connections. The process must cope with that. */
  cutOff(): void;
  /** Starts a network partition of this length. Neither side is notified. */
  part(forMs: number): void;
}

/** The time that the migration of a new state takes. */
const BRING_UP_MS = 400;

async function bringUp(
  server: SimServer,
  { clock, awake }: Pick<Life, "clock" | "awake">,
): Promise<void> {
  await sleep(clock, BRING_UP_MS);
  await awake(() => server.bringUp());
}

const NOTHING_OF_IT = () =>
  Promise.reject(new Error("a state on a server does nothing of the kind"));

export function createMachine(server: SimServer, host: string): Machine {
  let name: string | undefined;
  let way: Way | undefined;
  const cutOff = () => {
    if (name !== undefined) server.endAll(name);
  };
  const machine: Machine = {
    onCommit: undefined,
    kill: cutOff,
    cutOff,
    part: (forMs) => way?.part(forMs),
    async openStore(request, life) {
      const id = request.random.id();
      name = DAEMON + id;
      const signals = new PostgresSignals(id);
      const own = new Way(life.clock);
      way = own;
      const connect = async (ofName: string) =>
        life.cut(await openSession(server, { name: ofName, host, life, way: own }), "session");
      const pendingOf = (applied: readonly string[]) =>
        pendingMigrations(applied, migratedState.server("the server"));
      const schema = { pendingOf, ...life.cut({ bringUp: () => bringUp(server, life) }, "server") };
      const membership = await PostgresMembership.take({
        ...request,
        state: "the server",
        connect,
        id,
        ...schema,
        signals,
      });
      const driver = createDriver({ server, life, way: own, moments: machine }, name, membership);
      const db = new Kysely<Tables>({ dialect: { ...server.dialect, createDriver: () => driver } });
      const store = createStore(db, { clock: membership.clock, random: request.random }, () =>
        membership.close(),
      );
      return {
        ...store,
        ...{
          path: "the server",
          created: false,
          unclean: false,
          problems: Promise.resolve([]),
          membership,
        },
        ...{
          backup: NOTHING_OF_IT,
          transfer: undefined as never,
          connectedReplicas: store.replicas,
        },
        signals: { send: async (topic) => server.notify(topic, id), on: signals.on },
        quieten: (span) => quieten(db, span),
        inconsistencies: () => findInconsistencies(db),
        sizeBytes: () => 0,
      };
    },
  };
  return machine;
}
