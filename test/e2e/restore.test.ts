/**
 * Tests what a restored state sends: everything since the backup again, or none of it with --quiet.
 */
import { expect, it } from "vitest";
import { runCommand } from "../support/run-command.ts";
import type { RunningDaemon } from "../support/daemon-process.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, morePolls, noted, createFixture, sorted } from "./fixture.ts";

cleanUpAfterwards();

async function stop(daemon: RunningDaemon): Promise<void> {
  daemon.kill("SIGTERM");
  await daemon.gone;
}

/**
 * Runs a daemon that has reported one alert and has another one waiting at the backup, and reports
 * two more after it. Then stops it and restores the backup.
 */
async function restored(flags: readonly string[]) {
  const fixture = await createFixture();
  fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
  const first = await fixture.start();
  await noted(first, "w");
  const alerted = () => fixture.hook.subjects();
  const waitFor = (ids: readonly string[], err: () => string) =>
    until("the alerts", () => ids.every((id) => alerted().includes(id)), err);
  const post = (count: number) => fixture.api.post("search:acme", count);
  await waitFor(post(1), first.err);
  fixture.hook.answer((_, response) => response.writeHead(503).end());
  const waiting = post(1);
  // Before the first result is recorded, the alert that waits may be the first one.
  await waitFor(waiting, first.err);
  await until(
    "an alert that waits",
    async () => (await first.status()).sinks.some(({ waiting: count }) => count === 1),
    first.err,
  );
  const run = (...args: string[]) => runCommand(["state", ...args], { cwd: fixture.folder });
  const [backup = ""] = /\S+\.backup-\S+/.exec((await run("backup")).out) ?? [];
  fixture.hook.answer((_, response) => response.writeHead(204).end());
  const since = post(2);
  await waitFor([...waiting, ...since], first.err);
  await stop(first);
  const before = fixture.hook.messages().length;
  const { code, out, err } = await run("restore", backup, ...flags);
  expect([code, err]).toEqual([0, ""]);
  const daemon = await fixture.start();
  const later = post(1);
  await waitFor(later, daemon.err);
  await morePolls(fixture.api, "search-tweets", 3);
  const sent = fixture.hook
    .messages()
    .slice(before)
    .flatMap(({ events }) => events.map(({ subject }) => subject));
  return {
    out,
    sent,
    waiting,
    since,
    later,
    explain: async (id = "") => (await runCommand(["explain", id], { cwd: fixture.folder })).out,
  };
}

it.concurrent("sends again what was sent since the backup, and says so before", async () => {
  const { out, sent, waiting, since, later } = await restored([]);
  expect(out).toMatch(
    /^It is from \d{4}-\d\d-\d\d \d\d:\d\d UTC, \d+s ago\. 2 alerts found since then may be sent again: to prevent that, restore it with --quiet/m,
  );
  expect(sorted(sent)).toEqual(sorted([...waiting, ...since, ...later]));
});

it.concurrent("with --quiet sends nothing of it, nor what waited in the backup, and everything from now on", async () => {
  const { out, sent, waiting, since, later, explain } = await restored(["--quiet"]);
  expect(out).toMatch(
    /^It is from .* ago\. Alerts found since then are not sent, nor are those that were waiting in it \(1 alert\)\.$/m,
  );
  expect(sent).toEqual(later);
  expect(await explain(waiting[0])).toContain("the state was restored with --quiet");
  expect(await explain(since[0])).not.toContain("sent 2");
});
