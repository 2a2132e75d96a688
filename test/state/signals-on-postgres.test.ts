/**
 * Processes on one Postgres state signal each other what changed, also across a connection that was
 * cut.
 */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parsePostgresUrl } from "../../src/config/text/postgres-url.ts";
import type { PostgresAddress } from "../../src/model/postgres-address.ts";
import { SIGNAL_TOPICS, type SignalTopic } from "../../src/model/signals.ts";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import type { OpenOptions } from "../../src/state/open.ts";
import { openState } from "../../src/state/open-state.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { until } from "../support/until.ts";
import { memoryStatePath, rememberingLog } from "./temp-state.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let seeds = 0;

async function open(url: string, options: Partial<OpenOptions> = {}) {
  const postgres = parsePostgresUrl(url, "/") as PostgresAddress;
  const deps = {
    clock: createSystemClock(),
    random: createSeededRandom(++seeds),
    log: rememberingLog(),
  };
  const store = await openState({ path: memoryStatePath(), postgres, ...deps, ...options });
  onTestFinished(() => store.close());
  return store;
}

async function openDaemon(url: string) {
  const { signals } = await open(url);
  const heard: SignalTopic[] = [];
  return { heard, signals, stop: signals.on((topic) => heard.push(topic)) };
}

test("a daemon gets what others send, until it no longer listens", async () => {
  const url = await server.url();
  const { heard, stop, signals } = await openDaemon(url);
  const command = await open(url, { shared: true });
  await signals.send("configuration");
  await command.signals.send("share");
  await command.signals.send("reload");
  await until("both signals", () => heard.length === 2);
  expect(heard).toEqual(["share", "reload"]);
  stop();
  const other = await open(url, { shared: true });
  await other.signals.send("configuration");
  await command.signals.send("configuration");
  expect(heard).toEqual(["share", "reload"]);
});

test("after its connection was cut, a daemon hears every topic once, and then each signal again", async () => {
  const url = await server.url();
  const { heard } = await openDaemon(url);
  const command = await open(url, { shared: true });
  const database = new URL(url).pathname.slice(1);
  await server.ask(
    database,
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'chirpwatch: daemon %' and datname = current_database()",
  );
  await until("every topic", () => heard.length === SIGNAL_TOPICS.length);
  expect(heard).toEqual([...SIGNAL_TOPICS]);
  await command.signals.send("configuration");
  await until("the signal", () => heard.length > SIGNAL_TOPICS.length);
  expect(heard.at(-1)).toBe("configuration");
});
