/** Watches that share their requests, against the bundled sandbox: plain searches in one query, profiles with the probes of timelines. */
import { expect, it } from "vitest";
import { makeFolder } from "../support/bin-process.ts";
import { baseConfig, startDaemonProcess, writeConfig } from "../support/daemon-process.ts";
import { startHookReceiver } from "../support/hook-receiver.ts";
import { startSandboxProcess } from "../support/sandbox-process.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, hookSink, keep, noted, sorted } from "./fixture.ts";

cleanUpAfterwards();

const AUTHORS = Array.from({ length: 4 }, (_, i) => `e2e_shared_${i}`);
const WORDS = ["zyxacme", "zyxbolt", "zyxcrane", "zyxdelta"];

async function setup(watches: object) {
  const folder = makeFolder();
  const sandbox = await startSandboxProcess(folder);
  const hook = keep(await startHookReceiver());
  for (const username of AUTHORS) {
    await sandbox.control("accounts", { username, indexed: true });
    await sandbox.control("tweets", { username, text: `an old one ${WORDS.join(" ")}`, count: 2 });
  }
  writeConfig(folder, {
    ...baseConfig(sandbox.url, sandbox.key),
    defaults: { watch: { schedule: "@every 2s" } },
    watches,
    sinks: { hook: hookSink(hook) },
  });
  const daemon = await startDaemonProcess({ folder });
  await Promise.all(Object.keys(watches).map((watch) => noted(daemon, watch)));
  const asked = async (endpoint: string): Promise<number> => (await sandbox.control("requests")).billed_by_endpoint[endpoint] ?? 0;
  const alerted = () => sorted(hook.events().map(({ watch, subject }) => `${watch} ${subject}`));
  return { sandbox, daemon, asked, alerted, hook };
}

/** How long so many requests take: at one a tick of two seconds, about twice as many seconds. */
async function timeOf(count: number, endpoint: string, asked: (endpoint: string) => Promise<number>): Promise<number> {
  const fromMs = performance.now();
  const start = await asked(endpoint);
  await until(`${count} more requests`, async () => (await asked(endpoint)) >= start + count);
  return performance.now() - fromMs;
}

it("four plain searches cost one request a tick, and each reports its own", async () => {
  const { sandbox, daemon, asked, alerted } = await setup(
    Object.fromEntries(WORDS.map((word) => [word, { type: "search", query: word, full_poll_every: "12h" }])),
  );
  const before = await asked("search-tweets");
  expect(before).toBeGreaterThanOrEqual(WORDS.length);
  const both = await sandbox.control("tweets", { username: AUTHORS[0], text: `${WORDS[0]} and ${WORDS[2]}` });
  const one = await sandbox.control("tweets", { username: AUTHORS[1], text: `only ${WORDS[3]}` });
  await until(
    "every alert",
    () => alerted().length >= 3,
    () => daemon.err(),
  );
  expect(alerted()).toEqual(sorted([`${WORDS[0]} ${both.ids[0]}`, `${WORDS[2]} ${both.ids[0]}`, `${WORDS[3]} ${one.ids[0]}`]));
  expect(await timeOf(5, "search-tweets", asked)).toBeGreaterThan(6_000);
});

it("timelines and profiles of the same accounts cost one request a tick", async () => {
  const { sandbox, daemon, asked, alerted, hook } = await setup({
    posts: { type: "timeline", accounts: AUTHORS },
    names: { type: "profile", accounts: AUTHORS },
  });
  expect(await timeOf(5, "info-batch", asked)).toBeGreaterThan(6_000);
  const { ids } = await sandbox.control("tweets", { username: AUTHORS[1], text: "a new one" });
  await until(
    "the alert",
    () => alerted().some((one) => one === `posts ${ids[0]}`),
    () => daemon.err(),
  );
  expect(hook.events().filter(({ watch }) => watch === "posts")).toHaveLength(1);
});
