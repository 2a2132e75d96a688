/**
 * Tests a daemon on a file that is killed a thousand times in the middle of its work: nothing is
 * lost or created twice, and no rate is exceeded.
 */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { loadDriver } from "../../src/state/db/driver.ts";
import { cleanUpAfterwards, hookSink, keep } from "../e2e/fixture.ts";
import { makeFolder, startBin } from "../support/bin-process.ts";
import { baseConfig, startDaemonProcess, writeConfig } from "../support/daemon-process.ts";
import { startHookReceiver } from "../support/hook-receiver.ts";
import { startSandboxProcess } from "../support/sandbox-process.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { until } from "../support/until.ts";
import { arrivalsOf, type Post, writeAccount } from "./account.ts";

cleanUpAfterwards();

const KILLS = Number(process.env["CHIRPWATCH_KILLS"] ?? 1_000);
const ACCOUNTS = Array.from({ length: 12 }, (_, n) => `acme${n}`);
const POSTS_PER_SECOND = 4;
/** The longest time from the first request of a process to its kill. */
const MAX_LIFE_MS = 2_000;
/**
 * The share of the kills that hit a starting process, and the time from its start within which they
 * come.
 */
const START_SHARE = 0.25;
const MAX_START_MS = 1_500;
const PROGRESS_EVERY = 100;
const ASK_EVERY_MS = 50;
/** Once the kills are over, everything must have arrived within this time. */
const REST_WITHIN_MS = 300_000;

it("loses nothing over a thousand kills", { timeout: 7_200_000 }, async () => {
  const [sandbox, hook, folder] = [
    await startSandboxProcess(makeFolder()),
    keep(await startHookReceiver()),
    makeFolder(),
  ];
  const watches = ACCOUNTS.map((account) => [
    account,
    { type: "search", query: `from:${account}`, schedule: "@every 2s", strategy: "single" },
  ]);
  writeConfig(folder, {
    ...baseConfig(sandbox.url, sandbox.key),
    sinks: { hook: hookSink(hook) },
    watches: Object.fromEntries(watches),
  });
  const random = createSeededRandom(1);
  const posts: Post[] = [];
  let isPosting = true;
  const first = await startDaemonProcess({ folder });
  const isRead = async () =>
    (await first.status()).watches?.every(({ first_read: read }) => read === null);
  await until("every first read", isRead, first.err);
  first.kill("SIGKILL");
  await first.gone;
  const postSteadily = async () => {
    for (let count = 0; isPosting; count += 1) {
      const atMs = Date.now();
      const { ids } = await sandbox.control("tweets", {
        username: ACCOUNTS[count % ACCOUNTS.length],
        count: 1,
      });
      posts.push(...(ids as readonly string[]).map((id) => ({ id, atMs })));
      await pause(1_000 / POSTS_PER_SECOND);
    }
  };
  const fromMs = Date.now();
  const posting = postSteadily();
  const isThere = () => {
    const arrived = arrivalsOf(hook.messages());
    return posts.every(({ id }) => arrived.has(id));
  };
  const billed = async () => (await sandbox.control("requests")).billed as number;
  for (let kill = 1; kill < KILLS; kill += 1) {
    const daemon = startBin(["run", "-c", "watches.yaml"], { cwd: folder });
    if (random.float() < START_SHARE) await pause(random.float() * MAX_START_MS);
    else {
      const before = await billed();
      while ((await billed()) === before) await pause(ASK_EVERY_MS);
      await pause(random.float() * MAX_LIFE_MS);
    }
    daemon.kill("SIGKILL");
    await daemon.gone;
    if (kill % PROGRESS_EVERY === 0)
      console.info(
        `${kill} kills, ${posts.length} posts, ${arrivalsOf(hook.messages()).size} arrived`,
      );
  }
  const endMs = Date.now();
  isPosting = false;
  await posting;
  const daemon = await startDaemonProcess({ folder });
  while (!isThere() && Date.now() < endMs + REST_WITHIN_MS) await pause(1_000);
  daemon.kill("SIGTERM");
  await daemon.gone;
  const messages = hook.messages();
  const counted = requestsOf(join(folder, "data", "state.db"));
  const { line, wrong } = await writeAccount({
    ...{
      name: `${KILLS} kills`,
      fromMs,
      endMs,
      posts,
      allPosts: posts,
      messages,
      allMessages: messages,
      readLedger: async (sent) => ({ counted, missing: Math.max(0, sent - counted) }),
      sandbox,
      more: [],
    },
  });
  console.info(line);
  expect(wrong).toEqual([]);
});

function requestsOf(path: string): number {
  const database = new (loadDriver())(path, { readonly: true });
  const { sum } = database
    .prepare("select coalesce(sum(requests), 0) as sum from spent_hours")
    .get() as { readonly sum: number };
  database.close();
  return sum;
}
