/**
 * Tests three daemons on one Postgres: many kills, restarts of the server under them, and a replica
 * that is frozen for longer than its lease.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { cleanUpAfterwards } from "../e2e/fixture.ts";
import { Replicas } from "../e2e/replicas.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";

cleanUpAfterwards();

const KILLS = 100;
const WATCHES = 300;

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

it("nothing is lost or created twice over a hundred kills", { timeout: 900_000 }, async () => {
  const replicas = await Replicas.start(await server.url(), 3, WATCHES);
  for (let kill = 0; kill < KILLS; kill += 1)
    await replicas.replace(replicas.at(kill % 3), "SIGKILL");
  expect(await replicas.findWrong()).toEqual([]);
  const times = [...replicas.takeoversMs].sort((a, b) => a - b);
  const share = (of: number) => Math.round(times[Math.floor(times.length * of)] ?? 0);
  console.info(
    `${replicas.fresh.length} tweets, ${replicas.copies()} copies; taken over in ${share(0.5)} ms (p50), ${share(0.99)} ms (p99)`,
  );
});

it("nothing is lost or created twice when the server is stopped or killed under all of them", {
  timeout: 120_000,
}, async () => {
  const replicas = await Replicas.start(await server.url(), 3, WATCHES);
  for (const mode of ["fast", "immediate"] as const) {
    await replicas.post();
    await server.stop(mode);
    await replicas.post();
    await server.start();
    await replicas.shared();
    await replicas.post();
  }
  expect(await replicas.findWrong()).toEqual([]);
});

it("fault 68: one that froze for longer than its lease is replaced, writes nothing when it goes on, and ends", {
  timeout: 120_000,
}, async () => {
  for (const isLeader of [true, false]) {
    const replicas = await Replicas.start(await server.url(), 2, WATCHES);
    const leader = await replicas.leader();
    const frozen = isLeader ? leader : replicas.at(replicas.at(0) === leader ? 1 : 0);
    await replicas.replace(frozen, "SIGSTOP");
    await replicas.post();
    frozen.kill("SIGCONT");
    expect(await frozen.gone).toMatchObject({ code: 75 });
    expect(frozen.err()).toContain("Other replicas took over");
    expect(await replicas.findWrong()).toEqual([]);
  }
});
