/**
 * Several that open one state on Postgres: one leads, all of them write, and one that was declared
 * dead writes nothing more.
 */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parsePostgresUrl } from "../../src/config/text/postgres-url.ts";
import { shiftClock } from "../../src/model/clock.ts";
import type { PostgresAddress } from "../../src/model/postgres-address.ts";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import type { WaitsFor } from "../../src/state/membership/standby.ts";
import { MIGRATIONS } from "../../src/state/migrations/migrate.ts";
import { openState } from "../../src/state/open-state.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { PostgresProxy } from "../support/postgres-proxy.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { until } from "../support/until.ts";
import { memoryStatePath, rememberingLog } from "./temp-state.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let seeds = 0;

const NEWER = { ...MIGRATIONS, "9999-newer": { up: async () => undefined } };

/** `heard`: the calls that it got. */
function openReplica(url: string, migrations = MIGRATIONS, aheadMs = 0) {
  const heard: string[] = [];
  const stopping = new AbortController();
  const standby = {
    signal: stopping.signal,
    onWait: ({ host }: { readonly host: string }, waitsFor: WaitsFor) =>
      void heard.push(`${host}: ${waitsFor}`),
    onReplaced: ({ code }: { readonly code: string }) => void heard.push(code),
  };
  const postgres = parsePostgresUrl(url, "/") as PostgresAddress;
  const deps = {
    clock: shiftClock(createSystemClock(), () => aheadMs),
    random: createSeededRandom(++seeds),
    log: rememberingLog(),
  };
  const opening = openState({ path: memoryStatePath(), postgres, ...deps, migrations, standby });
  onTestFinished(async () => {
    stopping.abort();
    await opening.then(
      (store) => store.close(),
      () => undefined,
    );
  });
  return { opening, heard, stop: () => stopping.abort() };
}

const databaseOf = (url: string) => new URL(url).pathname.slice(1);

test("the first leads, the second joins, and leads once the first is closed", async () => {
  const url = await server.url();
  const first = await openReplica(url).opening;
  const second = await openReplica(url).opening;
  expect([first.membership?.isLeading(), second.membership?.isLeading()]).toEqual([true, false]);
  await first.writeNote("n", 1);
  await second.writeNote("m", 2);
  const nameOf = (store: typeof first) => `127.0.0.1#${store.membership?.id.slice(0, 4)}`;
  expect((await second.replicas()).map(({ name, isLeading }) => [name, isLeading])).toEqual([
    [nameOf(first), true],
    [nameOf(second), false],
  ]);
  await first.close();
  await until("the second one to lead", async () =>
    (await second.replicas()).every(({ isLeading }) => isLeading),
  );
  expect([(await second.replicas()).length, second.membership?.isLeading()]).toEqual([1, true]);
});

test("one of a newer version waits while an older one leads, says for which, and follows it", async () => {
  const url = await server.url();
  const first = await openReplica(url).opening;
  const second = openReplica(url, NEWER);
  await until("the second one to wait", () => second.heard.length > 0);
  expect(second.heard).toEqual(["127.0.0.1: older version"]);
  await first.close();
  expect((await second.opening).membership?.isLeading()).toBe(true);
  await expect(openReplica(url).opening).rejects.toMatchObject({ code: "STATE_NEWER_SCHEMA" });
});

test.each([
  ["an empty database", [MIGRATIONS, MIGRATIONS, MIGRATIONS], MIGRATIONS],
  ["one that has an older schema", [NEWER, NEWER, NEWER], NEWER],
])(
  "of several that start together on %s one makes the schema, and all join",
  async (_, versions, wanted) => {
    const url = await server.url();
    if (wanted === NEWER) await (await openReplica(url).opening).close();
    const opened = await Promise.all(versions.map((version) => openReplica(url, version).opening));
    expect(opened.filter(({ created }) => created)).toHaveLength(wanted === NEWER ? 0 : 1);
    await until(
      "one that leads",
      () => opened.filter(({ membership }) => membership?.isLeading()).length === 1,
    );
    expect((await opened[0]?.replicas())?.map(({ id }) => id).toSorted()).toEqual(
      opened.flatMap(({ membership }) => membership?.id ?? []).toSorted(),
    );
  },
);

test("those that wait for the end of an older version join once one of them has migrated the state, one that is older by then is refused", async () => {
  const url = await server.url();
  const first = await openReplica(url).opening;
  const newer = [openReplica(url, NEWER), openReplica(url, NEWER)];
  await until("both to wait", () => newer.every(({ heard }) => heard.length > 0));
  await first.close();
  const opened = await Promise.all(newer.map(({ opening }) => opening));
  expect(opened.filter(({ membership }) => membership?.isLeading())).toHaveLength(1);
  const newest = openReplica(url, { ...NEWER, "9999-newest": { up: async () => undefined } });
  await until("it to wait", () => newest.heard.length > 0);
  const refused = newest.opening.catch((error: unknown) => error);
  await server.ask(databaseOf(url), "insert into kysely_migration values ('99999-later', 'now')");
  expect(await refused).toMatchObject({ code: "STATE_NEWER_SCHEMA" });
});

test("the wait ends when the daemon is stopped", async () => {
  const url = await server.url();
  await openReplica(url).opening;
  const second = openReplica(url, NEWER);
  await until("the second one to wait", () => second.heard.length > 0);
  second.stop();
  await expect(second.opening).rejects.toMatchObject({ code: "STATE_LOCKED" });
});

test("one whose session is cut goes on, whether it leads again or not", async () => {
  const url = await server.url();
  const { opening, heard } = openReplica(url);
  const [first, second] = [await opening, await openReplica(url).opening];
  const holders =
    "select pid from pg_locks where locktype = 'advisory' and objsubid = 2 and granted";
  await server.ask(
    databaseOf(url),
    `select pg_terminate_backend(pid) from (${holders}) as holders`,
  );
  await first.writeNote("n", 1);
  expect(await second.readNote("n")).toBe(1);
  expect(heard).toEqual([]);
  const leaders = () => [first, second].filter(({ membership }) => membership?.isLeading()).length;
  await until("one leader", () => leaders() === 1);
});

test("the leader removes one that is gone, and what that one held is free", async () => {
  const url = await server.url();
  const first = await openReplica(url).opening;
  await server.ask(
    databaseOf(url),
    "insert into replicas (id, host, config, leads, joined_at) values ('gone', '', '', 0, 0)",
  );
  const claim = { kind: "poll", key: "k", cost: 1, replica: "gone", wanted: "gone" } as const;
  await first.saveClaims([claim], []);
  await until("its removal", async () => (await first.replicas()).length === 1);
  expect(await first.claims()).toEqual([{ ...claim, replica: null }]);
});

test("one that is cut off in the middle of a transaction holds others up for less time than they wait", async () => {
  const url = await server.url();
  const first = await openReplica(url).opening;
  const proxy = await PostgresProxy.start(server.port);
  onTestFinished(() => proxy.close());
  const cutOff = await openReplica(proxy.urlOf(url)).opening;
  await cutOff.writeNote("n", 1);
  proxy.refuse = (text) => {
    proxy.isSilent ||= /^insert/i.test(text);
    return undefined;
  };
  const lost = cutOff.writeNote("n", 2).catch((error: unknown) => error);
  await until("the cut", () => proxy.isSilent);
  await first.writeNote("n", 3);
  expect(await first.readNote("n")).toBe(3);
  proxy.cut();
  expect(await lost).toMatchObject({ code: "STORE_UNREACHABLE" });
});

test("one that gets the lead with the session that it takes up again is seen to lead", async () => {
  const url = await server.url();
  const [wayOfFirst, wayOfSecond] = [
    await PostgresProxy.start(server.port),
    await PostgresProxy.start(server.port),
  ];
  for (const way of [wayOfFirst, wayOfSecond]) onTestFinished(() => way.close());
  await openReplica(wayOfFirst.urlOf(url)).opening;
  const second = await openReplica(wayOfSecond.urlOf(url)).opening;
  expect(second.membership?.isLeading()).toBe(false);
  wayOfFirst.isSilent = true;
  wayOfSecond.isSilent = true;
  const sessions =
    "from pg_stat_activity where application_name like 'chirpwatch: daemon %' and datname = current_database()";
  await server.ask(databaseOf(url), `select pg_terminate_backend(pid) ${sessions}`);
  const areGone = async () =>
    (await server.ask(databaseOf(url), `select 1 ${sessions}`)).length === 0;
  await until("the end of both sessions", areGone);
  wayOfSecond.isSilent = false;
  await until("the second one to lead", () => second.membership?.isLeading());
  await until("its row to say so", async () =>
    (await second.replicas()).some(
      ({ id, isLeading }) => isLeading && id === second.membership?.id,
    ),
  );
});

test("one that was declared dead finds out with its next transaction, which writes nothing, and reads nothing more", async () => {
  const url = await server.url();
  const { opening, heard } = openReplica(url);
  const first = await opening;
  await first.writeNote("n", 1);
  await server.ask(databaseOf(url), "delete from replicas");
  await expect(first.writeNote("n", 2)).rejects.toMatchObject({ code: "STORE_REPLACED" });
  await expect(first.proveWritable(1)).rejects.toMatchObject({ code: "STORE_REPLACED" });
  await expect(first.readNote("n")).rejects.toMatchObject({ code: "STORE_REPLACED" });
  expect(heard).toEqual(["STATE_REPLACED"]);
  expect(await server.ask(databaseOf(url), "select value from notes where name = 'n'")).toEqual([
    { value: "1" },
  ]);
});

test("replicas go by the server's clock, whatever their machines show", async () => {
  const url = await server.url();
  const first = await openReplica(url, MIGRATIONS, 600_000).opening;
  const second = await openReplica(url, MIGRATIONS, -600_000).opening;
  const [one = 0, other = 0] = [first, second].map(({ membership }) => membership?.clock.now());
  expect(Math.abs(one - other)).toBeLessThan(5_000);
  expect(
    (await second.replicas()).every(({ joinedAtMs }) => Math.abs(joinedAtMs - one) < 60_000),
  ).toBe(true);
});
