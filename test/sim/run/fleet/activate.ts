/**
 * Runs `chirpwatch config activate`, as the operator of replicas does to return to an older
 * configuration.
 */
import { Kysely } from "kysely";
import { configDigest } from "../../../../src/app/fleet/revisions.ts";
import type { Config } from "../../../../src/config/config.ts";
import type { Random } from "../../../../src/model/random.ts";
import { sha256 } from "../../../../src/runtime/hash.ts";
import type { Tables } from "../../../../src/state/db/tables.ts";
import { configRevisionStore } from "../../../../src/state/replicas/config-revisions.ts";
import { createDriver } from "./connection.ts";
import type { SimServer } from "./server.ts";

const NOBODYS = {
  held: async () => undefined,
  fence: { text: "select 1", check: () => undefined },
};

export async function activate(server: SimServer, config: Config, random: Random): Promise<void> {
  await server.back();
  const way = { pass: async <T>(_: number, go: () => T | Promise<T>) => go() };
  const process = {
    server,
    way,
    life: { isOver: false, awake: <T>(go: () => T | Promise<T>) => go() },
    moments: { onCommit: undefined },
  };
  const driver = createDriver(process, "chirpwatch: command", NOBODYS);
  const store = configRevisionStore(
    new Kysely<Tables>({ dialect: { ...server.dialect, createDriver: () => driver } }),
    random,
  );
  const hash = configDigest(config, await store.configSalt(), sha256);
  await store.proposeConfig({
    body: config.stored,
    hash,
    atMs: server.nowMs(),
    cause: "activate",
    by: "a command",
    mayGoBack: true,
  });
  server.notify("configuration", "");
}
