/**
 * Tests a Postgres server whose disk is really full: a small file system in memory. Runs only as
 * root, who may mount one.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, type TestContext } from "vitest";
import { cleanUpAfterwards, createFixture, hookSink, noted, sorted } from "../e2e/fixture.ts";
import { startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";

cleanUpAfterwards();

/** Mounts a folder of this size. Returns undefined if that is impossible. */
function mountSmall(size: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "chirpwatch-small-disk-"));
  const { status } = spawnSync("mount", [
    "-t",
    "tmpfs",
    "-o",
    `size=${size},mode=0777`,
    "tmpfs",
    folder,
  ]);
  onTestFinished(() => {
    if (status === 0) spawnSync("umount", [folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return status === 0 ? folder : undefined;
}

it("polling stops, ops and status say so, nothing is lost, and all goes on once there is room", {
  timeout: 300_000,
}, async (context: TestContext) => {
  const folder = mountSmall("300m");
  if (folder === undefined) {
    console.info("skipped: a file system cannot be mounted here (run it as root)");
    return context.skip();
  }
  const server = await startPostgres(folder);
  onTestFinished(() => server.remove());
  const fixture = await createFixture();
  fixture.configure({
    state: { url: await server.url() },
    watches: { w: { type: "search", query: "acme", sink: "hook" } },
    sinks: {
      hook: hookSink(fixture.hook),
      ops: { ...hookSink(fixture.hook), url: `${fixture.hook.url}?ops` },
    },
    ops: { sink: "ops" },
  });
  fixture.api.post("search:acme", 10);
  const daemon = await fixture.start();
  await noted(daemon, "w");
  const filler = join(folder, "filler");
  const fill = () => spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=64k"]);
  fill();
  const fresh: string[] = [];
  await until(
    "a status that says so",
    async () => {
      fresh.push(...fixture.api.post("search:acme", 20));
      return (await daemon.status()).state === "paused";
    },
    daemon.err,
  );
  expect((await daemon.status()).reasons.join(" ")).toContain(
    "The disk of the Postgres server is full.",
  );
  expect((await fetch(`${daemon.url}/healthz`)).status).toBe(503);
  rmSync(filler);
  await server.stop("immediate").catch(() => undefined);
  await server.start();
  const subjects = () =>
    new Set(fixture.hook.events().flatMap(({ subject }) => (subject === "" ? [] : [subject])));
  await until("every tweet", () => fresh.every((id) => subjects().has(id)), daemon.err);
  expect(sorted([...subjects()])).toEqual(sorted(fresh));
  const ids = fixture.hook.messages().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
