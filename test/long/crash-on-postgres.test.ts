/**
 * Tests that a daemon with its state on Postgres loses nothing when it is killed, nor when the
 * server is stopped, killed or away for a while. `npm run test:slow` loses the answers of a COMMIT,
 * cuts connections and kills replicas, which takes less time.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RunningDaemon } from "../support/daemon-process.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import {
  allSent,
  cleanUpAfterwards,
  createFixture,
  morePolls,
  noted,
  sorted,
} from "../e2e/fixture.ts";

cleanUpAfterwards();

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

it("fault 86: nothing is lost or created twice over kills of the daemon and restarts of the server", async () => {
  const fixture = await createFixture();
  const url = await server.url();
  fixture.configure({ state: { url }, watches: { w: { type: "search", query: "acme" } } });
  fixture.api.post("search:acme", 10);
  let daemon: RunningDaemon = await fixture.startProcess();
  await noted(daemon, "w");
  const fresh: string[] = [];
  const post = () => fresh.push(...fixture.api.post("search:acme", 8));
  const alerted = () => new Set(fixture.hook.events().map(({ subject }) => subject));
  const delivered = () =>
    until(
      "every tweet",
      () => alerted().size >= fresh.length,
      () => `${alerted().size} of ${fresh.length}\n${daemon.err()}`,
    );

  post();
  await morePolls(fixture.api, "search-tweets", 1);
  daemon.kill("SIGKILL");
  await daemon.gone;
  post();
  daemon = await fixture.start();
  await delivered();

  for (const mode of ["fast", "immediate"] as const) {
    post();
    await morePolls(fixture.api, "search-tweets", 1);
    await server.stop(mode);
    post();
    await server.start();
    await delivered();
  }
  expect(sorted([...alerted()])).toEqual(sorted(fresh));
  const messageOf = new Map<string, string>();
  for (const { id, events } of fixture.hook.messages())
    for (const { data } of events) {
      const eventId = data.id as string;
      expect(messageOf.get(eventId) ?? id).toBe(id);
      messageOf.set(eventId, id);
    }
  expect(messageOf.size).toBe(fresh.length);
  await allSent(daemon);
  expect(daemon.out() + daemon.err()).not.toContain(server.password);
});
