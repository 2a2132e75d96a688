/**
 * Tests several daemons on one Postgres that share the work. When one is killed, others take over
 * its part: nothing is lost, and no event is created twice.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeFolder } from "../support/bin-process.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { runCommand } from "../support/run-command.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards } from "./fixture.ts";
import { Replicas } from "./replicas.ts";

cleanUpAfterwards();

/** `npm run test:long` kills more. */
const KILLS = 5;

let server: PostgresServer;
let replicas: Replicas;
beforeAll(async () => {
  server = await startPostgres();
  replicas = await Replicas.start(await server.url(), 3);
});
afterAll(() => server.remove());

it("fault 99: on an empty database they share polls and destinations evenly, each says so, and one that stops leaves its part to the others", async () => {
  const { replicas: listed, watches, unclaimed } = await replicas.statusOf(replicas.at(1));
  expect(unclaimed).toBeNull();
  const views = listed ?? [];
  const polledHere = watches.filter(({ polled_by: others }) => others.length === 0);
  // A watch has no next poll while one runs.
  expect(polledHere).toEqual(
    expect.arrayContaining(watches.filter(({ next_poll_at: at }) => at !== null)),
  );
  expect(new Set(views.map(({ name }) => name)).size).toBe(3);
  const leading = views.find(({ leads }) => leads);
  expect(replicas.at(0).err()).toContain(
    `"replica":"${leading?.name}","msg":"joined the replicas on this state"`,
  );
  for (const replica of replicas.all)
    expect(await replicas.readinessOf(replica)).toEqual([200, "ok"]);
  const percents = views.map(({ polls_percent: percent }) => percent);
  const pollsOf = (some: typeof watches) =>
    some.reduce(
      (sum, { schedule }) => sum + 1 / Number.parseInt(schedule.slice("@every ".length), 10),
      0,
    );
  const polled = views.map(({ name, answers }) =>
    watches.filter(({ polled_by: [other] }) => (answers ? other === undefined : other === name)),
  );
  expect(polled.flat()).toHaveLength(watches.length);
  expect(polled.map((some) => Math.round((pollsOf(some) * 100) / pollsOf(watches)))).toEqual(
    percents,
  );
  expect(views.map(({ destinations }) => destinations)).toEqual(expect.arrayContaining([0, 1, 1]));
  expect(views.filter(({ leads }) => leads)).toHaveLength(1);
  expect(views.filter(({ answers }) => answers).map(({ leads }) => leads)).toEqual([false]);
  const status = await runCommand(["status", "-c", "watches.yaml"], {
    cwd: replicas.folderOf(replicas.at(0)),
  });
  expect(status.out).toContain(
    `  replica ${leading?.name} (leads, this one): ${leading?.polls_percent}% of the polls, ${leading?.destinations} destination`,
  );
  const other = makeFolder();
  cpSync(join(replicas.folderOf(replicas.at(0)), "watches.yaml"), join(other, "watches.yaml"));
  const elsewhere = await runCommand(["status", "-c", "watches.yaml"], { cwd: other });
  expect(elsewhere.out).toMatch(
    /^State: elsewhere\n {2}no daemon is running on this state here; this is what the state contains\n(?: {2}replica 127\.0\.0\.1#\S{4}(?: \(leads\))?: \d+% of the polls, \d destinations?\n){3}/,
  );
  await replicas.post();
  const stopped = replicas.at(0);
  replicas.take(stopped, "SIGTERM");
  expect(await stopped.gone).toMatchObject({ code: 0 });
  await replicas.shared();
  await replicas.post();
  expect(await replicas.findWrong()).toEqual([]);
});

it("fault 85: a pause asked of one reaches the others, and they do the part of one that is killed: nothing is lost or created twice", async () => {
  replicas.add();
  await replicas.shared();
  const pausedOf = async (place: number) =>
    (await replicas.statusOf(replicas.at(place))).watches
      .filter(({ paused }) => paused)
      .map(({ id }) => id);
  for (const place of [0, 1]) {
    const ask = (command: string) =>
      runCommand([command, "acme0", "-c", "watches.yaml"], {
        cwd: replicas.folderOf(replicas.at(place)),
      });
    expect(await ask("pause")).toMatchObject({ code: 0 });
    expect(await pausedOf(1 - place)).toEqual(["acme0"]);
    expect(await ask("resume")).toMatchObject({ code: 0 });
  }
  for (let kill = 1; kill < KILLS; kill += 1)
    await replicas.replace(kill % 2 === 0 ? replicas.at(2) : await replicas.leader(), "SIGKILL");
  await replicas.lose(await replicas.leader(), "SIGKILL");
  expect(await replicas.findWrong()).toEqual([]);
  await until("a report", () => replicas.reports() > 0);
});
