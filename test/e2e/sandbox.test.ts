/**
 * Tests the bundled sandbox as a process of its own, which the daemon asks over HTTP: every watch
 * type, and a burst.
 */
import { describe, expect, it } from "vitest";
import { makeFolder } from "../support/bin-process.ts";
import { baseConfig, startDaemonHere, writeConfig } from "../support/daemon-process.ts";
import { startHookReceiver } from "../support/hook-receiver.ts";
import {
  type SandboxProcess,
  startSandboxHere,
  startSandboxProcess,
} from "../support/sandbox-process.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, hookSink, keep, noted, sorted } from "./fixture.ts";

cleanUpAfterwards();

/** Ten pages of twenty posts, which ten polls of one page read. */
const BURST = 200;

async function setUp(
  startSandbox: (folder: string) => Promise<SandboxProcess>,
  watches: (sample: any) => object,
) {
  const folder = makeFolder();
  const sandbox = await startSandbox(folder);
  const hook = keep(await startHookReceiver());
  writeConfig(folder, {
    ...baseConfig(sandbox.url, sandbox.key),
    defaults: { watch: { schedule: "@every 1s" } },
    watches: watches(await sandbox.control("sample")),
    sinks: { hook: hookSink(hook) },
  });
  return { folder, sandbox, hook };
}

describe.concurrent("against the sandbox", () => {
  it("every watch type reports what is put into its world, once", async () => {
    const { folder, sandbox, hook } = await setUp(
      startSandboxProcess,
      ({ community_ids: [community] }) => ({
        search: { type: "search", query: '"zebra crossing"' },
        timeline: { type: "timeline", accounts: ["e2e_author"] },
        followers: { type: "new_followers", accounts: ["e2e_author"] },
        score: { type: "score_delta", accounts: ["e2e_author"], when: { week_delta: ">= 900" } },
        community: {
          type: "community_tweets",
          community,
          where: 'tweet.full_text.contains("quagga")',
        },
      }),
    );
    const {
      community_ids: [community],
    } = await sandbox.control("sample");
    await sandbox.control("accounts", { username: "e2e_author", indexed: true });
    await sandbox.control("scores", { username: "e2e_author", week_delta: 1, month_delta: 1 });
    await sandbox.control("tweets", {
      username: "e2e_author",
      text: "an old zebra crossing",
      count: 3,
    });
    const daemon = await startDaemonHere({ folder });
    await Promise.all(
      ["search", "timeline", "followers", "score", "community"].map((watch) =>
        noted(daemon, watch),
      ),
    );
    expect(hook.subjects()).toEqual([]);
    const { ids } = await sandbox.control("tweets", {
      username: "e2e_author",
      text: "a new zebra crossing",
    });
    const inCommunity = await sandbox.control("tweets", {
      username: "e2e_author",
      text: "quagga",
      community_id: community,
    });
    const { followers } = await sandbox.control("follows", { target: "e2e_author", count: 2 });
    await sandbox.control("scores", { username: "e2e_author", week_delta: 950 });
    const alerted = (watch: string) =>
      hook
        .events()
        .filter((event) => event.watch === watch)
        .map(({ subject }) => subject);
    await until(
      "every alert",
      () =>
        alerted("search").length >= 1 &&
        alerted("timeline").length >= 2 &&
        alerted("followers").length >= 2 &&
        alerted("score").length >= 1 &&
        alerted("community").length >= 1,
      () =>
        `${JSON.stringify(hook.events().map(({ watch, subject }) => [watch, subject]))}\n${daemon.err()}`,
    );
    const { total } = await sandbox.control("requests");
    await until("more polls", async () => (await sandbox.control("requests")).total >= total + 10);
    expect(alerted("search")).toEqual(ids);
    expect(alerted("community")).toEqual(inCommunity.ids);
    expect(sorted(alerted("timeline"))).toEqual(sorted([...ids, ...inCommunity.ids]));
    expect(sorted(alerted("followers"))).toEqual(
      sorted(followers.map(({ id }: { id: string }) => id)),
    );
    expect(alerted("score")).toHaveLength(1);
    expect((await sandbox.control("requests")).max_in_one_second).toBeLessThanOrEqual(20);
  });

  it("a burst of ten times max_pages arrives whole, and afterwards a quiet poll costs one request", async () => {
    const { folder, sandbox, hook } = await setUp(
      async () => keep(await startSandboxHere()),
      () => ({ w: { type: "timeline", accounts: ["e2e_burst"], max_pages: 1 } }),
    );
    await sandbox.control("accounts", { username: "e2e_burst" });
    await sandbox.control("tweets", { username: "e2e_burst", text: "before" });
    const daemon = await startDaemonHere({ folder });
    await noted(daemon, "w");
    const { ids } = await sandbox.control("tweets", {
      username: "e2e_burst",
      text: "burst",
      count: BURST,
    });
    await until(
      "every alert of the burst",
      () => hook.messages().length >= BURST,
      () => `${hook.messages().length}\n${daemon.err()}`,
    );
    expect(sorted(hook.subjects())).toEqual(sorted(ids));
    await until("no gap", async () => (await daemon.status()).gaps === 0);
    // A request that was in progress when the last gap closed has ended once another poll has begun
    // and ended.
    const pages = async () =>
      (await sandbox.control("requests")).requests.filter(
        ({ endpoint }: any) => endpoint === "user-tweets",
      );
    const last = (await pages()).at(-1).at;
    const later = await until("three more requests", async () => {
      const since = (await pages()).filter(({ at }: any) => at > last);
      return since.length >= 3 ? since : undefined;
    });
    expect(later.filter(({ input }: any) => input.includes("next_cursor"))).toEqual([]);
  });
});
