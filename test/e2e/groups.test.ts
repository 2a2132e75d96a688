/** Timelines of many accounts against the bundled sandbox: probed together, read by one search, each post reported once. */
import { expect, it } from "vitest";
import { makeFolder } from "../support/bin-process.ts";
import { baseConfig, startDaemonProcess, writeConfig } from "../support/daemon-process.ts";
import { startHookReceiver } from "../support/hook-receiver.ts";
import { startSandboxProcess } from "../support/sandbox-process.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, hookSink, keep, noted, sorted } from "./fixture.ts";

cleanUpAfterwards();

const AUTHORS = Array.from({ length: 8 }, (_, i) => `e2e_many_${i}`);

it("eight timelines cost one request a tick, and their news one search", async () => {
  const folder = makeFolder();
  const sandbox = await startSandboxProcess(folder);
  const hook = keep(await startHookReceiver());
  for (const username of AUTHORS) {
    await sandbox.control("accounts", { username, indexed: true });
    await sandbox.control("tweets", { username, text: "an old one", count: 2 });
  }
  writeConfig(folder, {
    ...baseConfig(sandbox.url, sandbox.key),
    defaults: { watch: { schedule: "@every 2s" } },
    watches: {
      half: { type: "timeline", accounts: AUTHORS.slice(0, 4) },
      all: { type: "timeline", accounts: AUTHORS },
      fresh: { type: "timeline", accounts: AUTHORS.slice(6).map((name) => `https://x.com/${name}`), schedule: "@every 2s" },
    },
    sinks: { hook: hookSink(hook) },
  });
  const daemon = await startDaemonProcess({ folder });
  await Promise.all(["half", "all", "fresh"].map((watch) => noted(daemon, watch)));
  expect(hook.subjects()).toEqual([]);

  const asked = async (endpoint: string): Promise<number> => (await sandbox.control("requests")).billed_by_endpoint[endpoint] ?? 0;
  const reads = await asked("user-tweets");
  const posted: string[] = [];
  for (const username of [AUTHORS[1], AUTHORS[5]]) posted.push(...(await sandbox.control("tweets", { username, text: "a new one" })).ids);
  const alerted = (watch: string) =>
    hook
      .events()
      .filter((event) => event.watch === watch)
      .map(({ subject }) => subject);
  await until(
    "every alert",
    () => alerted("all").length >= 2 && alerted("half").length >= 1,
    () => daemon.err(),
  );
  const probes = await asked("info-batch");
  await until("more probes", async () => (await asked("info-batch")) >= probes + 3);
  expect(sorted(alerted("all"))).toEqual(sorted(posted));
  expect(alerted("half")).toEqual([posted[0]]);
  expect(alerted("fresh")).toEqual([]);
  expect(await asked("search-tweets")).toBeGreaterThanOrEqual(1);
  // Each account was read by itself once, at the start.
  expect((await asked("user-tweets")) - reads).toBe(0);
  expect(reads).toBe(AUTHORS.length);
});
