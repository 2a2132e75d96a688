/** Of several that open one state on Postgres, one is active and the others wait; one that was replaced writes nothing more. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parsePostgresUrl } from "../../src/config/text/postgres-url.ts";
import type { PostgresAddress } from "../../src/model/postgres-address.ts";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
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

/** `heard`: the calls that it got. */
function openStandby(url: string) {
  const heard: string[] = [];
  const stopping = new AbortController();
  const standby = {
    signal: stopping.signal,
    onWait: ({ host }: { readonly host: string }) => void heard.push(`waits for ${host}`),
    onReplaced: ({ code }: { readonly code: string }) => void heard.push(code),
  };
  const postgres = parsePostgresUrl(url, "/") as PostgresAddress;
  const deps = { clock: createSystemClock(), random: createSeededRandom(++seeds), log: rememberingLog() };
  const opening = openState({ path: memoryStatePath(), postgres, ...deps, standby });
  onTestFinished(async () => {
    stopping.abort();
    await opening.then(
      (store) => store.close(),
      () => undefined,
    );
  });
  return { opening, heard, stop: () => stopping.abort() };
}

test("one waits while another is active, says for which, and follows it", async () => {
  const url = await server.url();
  const first = await openStandby(url).opening;
  const second = openStandby(url);
  await until("the second one to wait", () => second.heard.length > 0);
  expect(second.heard).toEqual(["waits for 127.0.0.1"]);
  await first.writeNote("n", 1);
  await first.close();
  expect(await (await second.opening).readNote("n")).toBe(1);
});

test("the wait ends when the daemon is stopped", async () => {
  const url = await server.url();
  await openStandby(url).opening;
  const second = openStandby(url);
  await until("the second one to wait", () => second.heard.length > 0);
  second.stop();
  await expect(second.opening).rejects.toMatchObject({ code: "STATE_LOCKED" });
});

test("one whose lock was cut and taken by another is notified, and neither reads nor writes any more", async () => {
  const url = await server.url();
  const { opening, heard } = openStandby(url);
  const first = await opening;
  const second = openStandby(url);
  await until("the second one to wait", () => second.heard.length > 0);
  const database = new URL(url).pathname.slice(1);
  const holders = "select pid from pg_locks where locktype = 'advisory' and objsubid = 2 and granted";
  await server.ask(database, `select pg_terminate_backend(pid) from (${holders}) as holders`);
  const active = await second.opening;
  await until("the first one to notice", () => heard.length > 0);
  expect(heard).toEqual(["STATE_REPLACED"]);
  await expect(first.writeNote("n", 1)).rejects.toMatchObject({ code: "STORE_REPLACED" });
  await expect(first.readNote("n")).rejects.toMatchObject({ code: "STORE_REPLACED" });
  expect(await active.readNote("n")).toBeNull();
});

test("one that was replaced without noticing finds out with its next transaction, which writes nothing", async () => {
  const url = await server.url();
  const { opening, heard } = openStandby(url);
  const first = await opening;
  await first.writeNote("n", 1);
  const database = new URL(url).pathname.slice(1);
  await server.ask(database, "update housekeeping set value = (value::bigint + 1)::text where name = 'epoch'");
  await expect(first.writeNote("n", 2)).rejects.toMatchObject({ code: "STORE_REPLACED" });
  expect(heard).toEqual(["STATE_REPLACED"]);
  expect(await server.ask(database, "select value from notes where name = 'n'")).toEqual([{ value: "1" }]);
});
