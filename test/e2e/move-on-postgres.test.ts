/**
 * Tests a state that is moved from its file to Postgres: the daemon continues there, and commands
 * read it there.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { runCommand } from "../support/run-command.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, createFixture, morePolls, noted } from "./fixture.ts";

cleanUpAfterwards();

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

it("sends what waited, nothing twice, and shows no password", async () => {
  const fixture = await createFixture();
  const watches = { w: { type: "search", query: "acme" } };
  fixture.configure({ watches });
  const first = await fixture.start();
  await noted(first, "w");
  const [sent = ""] = fixture.api.post("search:acme", 1);
  await until("an alert", () => fixture.hook.subjects().includes(sent), first.err);
  fixture.hook.answer((_, response) => response.writeHead(503).end());
  const [waiting = ""] = fixture.api.post("search:acme", 1);
  await until(
    "an alert that was refused",
    () => fixture.hook.subjects().includes(waiting),
    first.err,
  );
  await until(
    "it to wait",
    async () => (await first.status()).sinks.some(({ waiting: count }) => count === 1),
    first.err,
  );

  const url = await server.url();
  const outputs: string[] = [];
  const run = async (...args: string[]) => {
    const ran = await runCommand(args, { cwd: fixture.folder, env: { STATE_URL: url } });
    outputs.push(ran.out, ran.err);
    return ran;
  };
  const migrate = () => run("state", "migrate", "--to", "${STATE_URL}");
  expect(await migrate()).toMatchObject({ code: 75 });
  first.kill("SIGTERM");
  await first.gone;
  expect(await migrate()).toMatchObject({
    code: 0,
    out: expect.stringContaining("and compared each") as string,
  });
  expect(await migrate()).toMatchObject({
    code: 1,
    err: expect.stringContaining("already contains a state") as string,
  });

  fixture.configure({ watches, state: { url: "${STATE_URL}" } });
  expect((await run("status")).out).toContain("1 waiting");
  expect(await run("state", "check")).toMatchObject({
    code: 0,
    err: expect.stringContaining("postgres does not wait for its disk") as string,
  });
  expect(await run("state", "backup")).toMatchObject({
    code: 1,
    err: expect.stringContaining("pg_dump --format=custom") as string,
  });
  expect(await run("state", "restore", "any")).toMatchObject({
    code: 1,
    err: expect.stringContaining("pg_restore --clean") as string,
  });
  expect((await run("explain", waiting)).out).toContain(waiting);

  fixture.hook.answer((_, response) => response.writeHead(204).end());
  const second = await fixture.start({ STATE_URL: url });
  await morePolls(fixture.api, "search-tweets", 1);
  // The sink's breaker is stored as well. A reload makes the daemon try the sink at once.
  second.kill("SIGHUP");
  const isEmpty = async () =>
    (await second.status()).sinks.every(({ waiting: count }) => count === 0);
  await until("the alert that waited", isEmpty, second.err);
  await morePolls(fixture.api, "search-tweets");
  expect(fixture.hook.subjects()).toEqual([sent, waiting]);
  expect((await run("status")).out).toContain("w ");
  outputs.push(second.out(), second.err());
  expect(outputs.join("\n")).not.toContain(server.password);
});
