/** Of several daemons on one Postgres one is active. When it is killed, another takes its place: nothing is lost, and no event is created twice. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { runBin } from "../support/bin-process.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { cleanUpAfterwards, createFixture } from "./fixture.ts";
import { Replicas } from "./replicas.ts";

cleanUpAfterwards();

const KILLS = 5;

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

it("a command beside a daemon that stands by reads the state, and changes nothing", async () => {
  const replicas = await Replicas.start(await createFixture(), await server.url(), 2);
  const ask = (...args: readonly string[]) => runBin([...args, "-c", "watches.yaml"], { cwd: replicas.standbyFolder });
  expect(await ask("health")).toMatchObject({ code: 0, out: "the daemon is well: it stands by; active is 127.0.0.1\n" });
  const events = await ask("events");
  expect([events.code, events.err]).toEqual([
    0,
    expect.stringContaining("it stands by; active is 127.0.0.1; this is what the state holds"),
  ]);
  expect(await replicas.statusOfActive()).toMatchObject({ standbys: ["127.0.0.1"] });
  const pause = await ask("pause", "w");
  expect([pause.code, pause.err]).toEqual([1, expect.stringContaining("it stands by; active is 127.0.0.1")]);
});

it("another daemon takes over from one that is killed: nothing is lost or created twice", async () => {
  const replicas = await Replicas.start(await createFixture(), await server.url(), 3);
  for (let kill = 0; kill < KILLS; kill += 1) await replicas.replaceActive("SIGKILL");
  expect(await replicas.findWrong()).toEqual([]);
  const { standby } = replicas;
  standby?.kill("SIGTERM");
  expect(await standby?.gone).toMatchObject({ code: 0 });
});
