/**
 * Tests how daemons on one Postgres agree on the configuration: one with a superseded configuration
 * waits, an old configuration can be made current again, and commands work from anywhere for all.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeFolder } from "../support/bin-process.ts";
import {
  baseConfig,
  type RunningDaemon,
  startDaemonHere,
  writeConfig,
} from "../support/daemon-process.ts";
import type { StatusView } from "../../src/server/schema/status-view.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { runCommand } from "../support/run-command.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, createFixture, type Fixture, hookSink, noted } from "./fixture.ts";

cleanUpAfterwards();

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

/** A folder for one daemon, as if on a machine of its own. */
function machine({ api, hook }: Fixture, url: string) {
  const folder = makeFolder();
  const write = (queries: readonly string[]) =>
    writeConfig(folder, {
      ...baseConfig(api.url, api.key),
      ...{
        state: { url },
        defaults: { watch: { schedule: "@every 1s" } },
        sinks: { hook: hookSink(hook) },
      },
      watches: Object.fromEntries(
        queries.map((query) => [query, { type: "search", query, strategy: "single" }]),
      ),
    });
  return {
    write,
    start: () => startDaemonHere({ folder }),
    run: async (...command: readonly string[]) =>
      runCommand([...command, "-c", "watches.yaml"], { cwd: folder }),
  };
}

const readiness = async ({ url }: RunningDaemon) => (await fetch(`${url}/readyz`)).status;
/** While the replica's work is replaced, the status holds only the reason. */
const statusOf = async (daemon: RunningDaemon): Promise<Partial<StatusView>> => daemon.status();
const end = async (daemon: RunningDaemon) => {
  daemon.kill("SIGTERM");
  await daemon.gone;
};

it.concurrent("fault 88: a replica with a newer configuration takes over once it is up, and the others follow when their files are the same", async () => {
  const fixture = await createFixture();
  const url = await server.url();
  const [first, second] = [machine(fixture, url), machine(fixture, url)];
  fixture.api.post("search:one", 3);
  first.write(["one"]);
  second.write(["one", "two"]);
  const old = await first.start();
  await noted(old, "one");
  await second.start();
  const why =
    /the configuration is superseded by revision 2 of 127\.0\.0\.1#\S{4}, and this replica waits/;
  await until("the old one to wait", async () =>
    (await statusOf(old)).reasons?.some((reason) => why.test(reason)),
  );
  expect(await readiness(old)).toBe(503);
  const saysSo = "the daemon is healthy: the configuration is superseded";
  await until("health to say so", async () => (await first.run("health")).out.includes(saysSo));
  const posted = fixture.api.post("search:one", 1);
  await until("the alert", () =>
    fixture.hook.events().some(({ subject }) => subject === posted[0]),
  );
  first.write(["one", "two"]);
  await until("the old one to follow", async () => (await readiness(old)) === 200);
  expect((await first.run("config", "list")).out).toMatch(
    / 2 +\S+ +\S+ \S+ +start +127\.0\.0\.1#\S{4} +current\n +1 /,
  );
  await until("a share for each", async () =>
    (await statusOf(old)).replicas?.every(({ polls_percent: percent }) => percent === 50),
  );
  expect(fixture.hook.events()).toHaveLength(1);
});

it.concurrent("commands on another machine send alerts again, and try a sink that fails, by the daemon that runs", async () => {
  const fixture = await createFixture();
  const { api, hook } = fixture;
  const url = await server.url();
  const [first, second] = [machine(fixture, url), machine(fixture, url)];
  for (const one of [first, second]) one.write(["one"]);
  api.post("search:one", 1);
  const daemon = await first.start();
  await noted(daemon, "one");
  const [sent] = api.post("search:one", 1);
  const messagesWith = (id: string | undefined) =>
    hook.messages().filter(({ events }) => events.some(({ subject }) => subject === id));
  await until("the alert", () => messagesWith(sent).length === 1);
  expect(await second.run("resume", "--sink", "hook")).toMatchObject({
    out: expect.stringMatching(
      /^hook is not disabled; if it fails, it is tried now, by 127\.0\.0\.1#\S{4}\n$/,
    ),
  });
  expect((await second.run("replay", "--since", "1h", "--yes")).out).toMatch(
    /\n1 alert goes out again now, by 127\.0\.0\.1#\S{4}\n$/,
  );
  await until("the same alert again", () => messagesWith(sent).length === 2);
  // The next attempt would be due in a minute.
  hook.answer((_, response) => void response.writeHead(401).end());
  const [held] = api.post("search:one", 1);
  await until(
    "the sink to fail",
    async () => (await statusOf(daemon)).sinks?.[0]?.breaker === "open",
  );
  hook.answer((_, response) => response.end());
  const before = messagesWith(held).length;
  expect(await second.run("resume", "--sink", "hook")).toMatchObject({
    out: expect.stringMatching(
      /^hook is not disabled; if it fails, it is tried now, by 127\.0\.0\.1#\S{4}\n$/,
    ),
  });
  await until("the alert that waited", () => messagesWith(held).length > before);
  await end(daemon);
  expect((await second.run("replay", "--since", "1h", "--yes")).out).toMatch(
    /go out again at the next start\n$/,
  );
});

it.concurrent("fault 88: one that starts with a superseded file waits for config activate", async () => {
  const fixture = await createFixture();
  const url = await server.url();
  const [first, second] = [machine(fixture, url), machine(fixture, url)];
  first.write(["one"]);
  second.write(["two"]);
  await end(await first.start());
  await end(await second.start());
  const straggler = await first.start();
  await straggler.logged("configuration is superseded");
  expect(await readiness(straggler)).toBe(503);
  expect(await first.run("config", "activate", "--author", "alice")).toMatchObject({
    out: "this configuration is now the current one, revision 3; 1 replica has it\n",
  });
  await until("it to work", async () =>
    (await statusOf(straggler)).watches?.every(({ last_poll_at: at }) => at !== null),
  );
  await until("it to be ready", async () => (await readiness(straggler)) === 200);
  fixture.api.post("search:one", 1);
  await until("its alert", () => fixture.hook.events().length === 1);
  expect((await first.run("config", "list")).out).toContain("activate  alice");
});

it.concurrent("a reload with a superseded file is refused, and says how to go back", async () => {
  const fixture = await createFixture();
  const only = machine(fixture, await server.url());
  only.write(["one"]);
  const daemon = await only.start();
  only.write(["one", "two"]);
  expect(await only.run("reload")).toMatchObject({ code: 0 });
  only.write(["one"]);
  const refused = await only.run("reload");
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.err).toMatch(
    /it is revision 1, which revision 2 of 127\.0\.0\.1#\S{4} has superseded: chirpwatch config activate/,
  );
  expect(await readiness(daemon)).toBe(200);
  await only.run("config", "activate");
  await daemon.logged(/configuration reloaded/);
  expect((await only.run("reload")).out).toBe("configuration unchanged\n");
  expect((await daemon.status()).watches.map(({ id }) => id)).toEqual(["one"]);
});

it.concurrent("commands beside no daemon reach those that run elsewhere on the state", async () => {
  const fixture = await createFixture();
  const url = await server.url();
  const [first, elsewhere] = [machine(fixture, url), machine(fixture, url)];
  first.write(["one"]);
  elsewhere.write(["one"]);
  const daemon = await first.start();
  await noted(daemon, "one");
  // The silence is added first. The daemon reads it at the first of the signals below.
  expect(
    await elsewhere.run(
      "silence",
      "add",
      'watch="one"',
      "--duration",
      "1h",
      "--comment",
      "test",
      "--author",
      "alice",
    ),
  ).toMatchObject({
    code: 0,
  });
  expect((await elsewhere.run("pause", "one")).out).toMatch(
    /^one is paused; takes effect now, by 127\.0\.0\.1#\S{4}$/m,
  );
  await until("the pause", async () =>
    (await daemon.status()).watches.every(({ paused }) => paused),
  );
  expect(await elsewhere.run("resume", "one")).toMatchObject({ code: 0 });
  await until("its end", async () =>
    (await daemon.status()).watches.every(({ paused }) => !paused),
  );
  const posted = fixture.api.post("search:one", 1);
  await until(
    "the silence to hold",
    async () =>
      (await daemon.status()).recent_events.some(({ id }) => id !== "") && posted.length > 0,
  );
  expect(fixture.hook.events()).toEqual([]);
  expect((await elsewhere.run("status")).out).toContain("State: elsewhere\n");
  expect((await elsewhere.run("status")).out).toMatch(
    /^ {2}replica 127\.0\.0\.1#\S{4} \(leads\): 100% of the polls, 1 destination$/m,
  );
  expect((await elsewhere.run("reload")).out).toContain(
    "asked 1 replica to read the configuration again",
  );
  await daemon.logged("configuration unchanged");
});
