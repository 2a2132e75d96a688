/** Of several daemons on one Postgres one is active. When it is killed, another takes its place: nothing is lost, and no event is created twice. */
import { afterAll, beforeAll, expect, it } from "vitest";
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

it("another daemon takes over from one that is killed: nothing is lost or created twice", async () => {
  const replicas = await Replicas.start(await createFixture(), await server.url(), 3);
  for (let kill = 0; kill < KILLS; kill += 1) await replicas.replaceActive("SIGKILL");
  await replicas.expectAllOnce();
  const { standby } = replicas;
  standby?.kill("SIGTERM");
  expect(await standby?.gone).toMatchObject({ code: 0 });
});
