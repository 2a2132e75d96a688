/** Followers of many accounts against the bundled sandbox: their counters asked for together, with posts and profiles, and only lists that moved read. */
import { expect, it } from "vitest";
import { makeFolder } from "../support/bin-process.ts";
import { baseConfig, startDaemonProcess, writeConfig } from "../support/daemon-process.ts";
import { startHookReceiver } from "../support/hook-receiver.ts";
import { startSandboxProcess } from "../support/sandbox-process.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, hookSink, keep, noted, sorted } from "./fixture.ts";

cleanUpAfterwards();

const WATCHED = Array.from({ length: 6 }, (_, i) => `e2e_watched_${i}`);
const FANS = Array.from({ length: 4 }, (_, i) => `e2e_fan_${i}`);

it("six follower lists, timelines and profiles cost one request a tick, and a change one read", async () => {
  const folder = makeFolder();
  const sandbox = await startSandboxProcess(folder);
  const hook = keep(await startHookReceiver());
  const control = sandbox.control;
  for (const username of [...WATCHED, ...FANS]) await control("accounts", { username, indexed: true });
  for (const target of WATCHED) {
    await control("follows", { follower: FANS[0], target });
    await control("follows", { follower: FANS[3], target });
    await control("tweets", { username: target, text: "an old one" });
  }
  writeConfig(folder, {
    ...baseConfig(sandbox.url, sandbox.key),
    defaults: { watch: { schedule: "@every 2s" } },
    watches: {
      fans: { type: "new_followers", accounts: WATCHED, source: "all" },
      leavers: { type: "followers", accounts: WATCHED.slice(0, 3), strategy: "probe", full_poll_every: "12h" },
      posts: { type: "timeline", accounts: WATCHED },
      names: { type: "profile", accounts: WATCHED },
    },
    sinks: { hook: hookSink(hook) },
  });
  const daemon = await startDaemonProcess({ folder });
  await Promise.all(["fans", "leavers", "posts", "names"].map((watch) => noted(daemon, watch)));
  const asked = async (endpoint: string): Promise<number> => (await control("requests")).billed_by_endpoint[endpoint] ?? 0;
  const alerted = () => sorted(hook.events().map(({ watch, type }) => `${watch} ${type}`));
  const waitForAlerts = (what: string, count: number) =>
    until(
      what,
      () => alerted().length >= count,
      () => daemon.err(),
    );

  const fromMs = performance.now();
  const [probes, reads] = [await asked("info-batch"), await asked("followers")];
  await until("five more probes", async () => (await asked("info-batch")) >= probes + 5);
  expect(performance.now() - fromMs).toBeGreaterThan(6_000);
  expect(await asked("followers")).toBe(reads);

  await control("follows", { follower: FANS[1], target: WATCHED[4] });
  await waitForAlerts("the new follower", 1);
  expect(alerted()).toEqual(["fans follower.added"]);
  await control("follows", { follower: FANS[0], target: WATCHED[1] }, "DELETE");
  await waitForAlerts("who went, after two reads", 2);
  await control("follows", { follower: FANS[2], target: WATCHED[1] });
  await waitForAlerts("the other new follower", 4);
  expect(alerted()).toEqual(["fans follower.added", "fans follower.added", "leavers follower.added", "leavers follower.removed"]);
});
