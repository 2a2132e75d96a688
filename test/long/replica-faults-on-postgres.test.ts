/**
 * Tests three replicas from the built bin on a Postgres with faults: nothing is lost or created
 * twice, and once a fault is over nothing is stuck.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cleanUpAfterwards } from "../e2e/fixture.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { accountOf } from "./replica-account.ts";
import { ReplicaTrial } from "./replica-trial.ts";

cleanUpAfterwards();

const SECOND = 1_000;
/** The number of kills after each fault. */
const KILLS = 25;

let small: string | undefined;
let server: PostgresServer;
let trial: ReplicaTrial;
beforeAll(async () => {
  small = mountSmall();
  server = await startPostgres(small);
  trial = await ReplicaTrial.start(server);
});
afterAll(async () => {
  await trial.close();
  await server.remove();
  if (small !== undefined) spawnSync("umount", [small]);
});

/**
 * Mounts a disk for the server that is soon full. Returns undefined if this user may not mount one.
 */
function mountSmall(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "chirpwatch-small-disk-"));
  const { status } = spawnSync("mount", [
    "-t",
    "tmpfs",
    "-o",
    "size=400m,mode=0777",
    "tmpfs",
    folder,
  ]);
  if (status === 0) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}

async function awayFor(ms: number, mode: "fast" | "immediate" = "fast"): Promise<void> {
  await server.stop(mode);
  await pause(ms);
  await server.start();
}

type Cause = (trial: ReplicaTrial) => Promise<void>;

const FAULTS: Readonly<Record<string, Cause>> = {
  "first start together on an empty database": async (of) => {
    await of.firstReads();
    of.isRead = true;
  },
  nothing: async () => pause(10 * SECOND),
  "a burst of 60 posts on searches that followers poll": async (of) => {
    const bursts = await of.burstsOfFollowers();
    expect(bursts.length).toBeGreaterThan(0);
    for (const account of bursts) await of.post(account, 60);
  },
  "a pause of 8 s, three times": async ({ replicas, busy }) => {
    const url = String((await replicas[0]?.process.logged("status page is up"))?.["url"]);
    const ask = (verb: string) =>
      Promise.all(
        busy.map((id) => fetch(`${url}/api/v1/watches/${id}/${verb}`, { method: "POST" })),
      );
    for (let count = 0; count < 3; count += 1) {
      for (const answer of await ask("pause")) expect(answer.status).toBe(200);
      await pause(8 * SECOND);
      await ask("resume");
      await pause(4 * SECOND);
    }
  },
  "connections cut five times": async ({ replicas }) => {
    for (let count = 0; count < 5; count += 1) {
      for (const { proxy } of replicas) proxy.cut();
      await pause(4 * SECOND);
    }
  },
  "server killed": () => awayFor(SECOND, "immediate"),
  "server away for 45 s": () => awayFor(45 * SECOND),
  "server away for two minutes": () => awayFor(120 * SECOND),
  "server frozen for 45 s": async () => {
    server.freeze();
    await pause(45 * SECOND);
    server.thaw();
  },
  "leader frozen for 25 s": (of) => freeze(of, "leader"),
  "follower frozen for 25 s": (of) => freeze(of, "follower"),
  "leader parted with an open transaction": (of) => part(of, "leader"),
  "follower parted with an open transaction": (of) => part(of, "follower"),
};

/** Kills a leader and a follower in turn, each in the middle of its work. */
async function killOften(of: ReplicaTrial): Promise<void> {
  for (let count = 0; count < KILLS; count += 1) {
    await of.kill(await of.find(count % 2 === 0 ? "leader" : "follower"));
    await pause(3 * SECOND);
  }
}

/** Freezes a replica for longer than its lease. */
async function freeze(of: ReplicaTrial, role: "leader" | "follower"): Promise<void> {
  const { process } = await of.find(role);
  process.kill("SIGSTOP");
  await pause(25 * SECOND);
  process.kill("SIGCONT");
}

async function part(of: ReplicaTrial, role: "leader" | "follower"): Promise<void> {
  const { proxy } = await of.find(role);
  proxy.partIn((texts) => texts.some((text) => text.startsWith('insert into "events"')));
  await pause(45 * SECOND);
  proxy.isSilent = false;
}

const KILLED = Object.keys(FAULTS).map(
  (name) => [`${KILLS} kills after ${name}`, killOften] as const,
);
const ALL = Object.entries(FAULTS).flatMap((fault, at) => [fault, ...KILLED.slice(at, at + 1)]);

it.each(ALL)(
  "fault 85, fault 86, fault 98, fault 99: %s",
  { timeout: 400 * SECOND },
  async (name, cause) => {
    const { line, wrong } = await accountOf(trial, name, cause);
    console.info(line);
    expect(wrong).toEqual([]);
  },
);

it("the disk of the server full for 40 s", { timeout: 400 * SECOND }, async (context) => {
  if (small === undefined) {
    console.info("skipped: a file system cannot be mounted here (run it as root)");
    return context.skip();
  }
  const filler = join(small, "filler");
  const { line, wrong } = await accountOf(trial, "disk full for 40 s", async () => {
    spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=64k"]);
    await pause(40 * SECOND);
    rmSync(filler);
    await pause(5 * SECOND);
    const answers = await server.ask("postgres", "select 1").then(
      () => true,
      () => false,
    );
    if (!answers) await awayFor(0, "immediate");
  });
  console.info(line);
  expect(wrong).toEqual([]);
});
