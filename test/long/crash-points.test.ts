/** Cuts a process at every call of a port that writes or sends, and prints the account. */
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { playCuts } from "../sim/crash/play-cuts.ts";

const root = resolve(import.meta.dirname, "../..");
const LONG_MS = 10_800_000;

beforeAll(async () => {
  const args = [
    join(root, "node_modules/typescript/bin/tsc"),
    "-p",
    "tsconfig.sim.json",
    "--noCheck",
  ];
  await promisify(execFile)(process.execPath, args, { cwd: root });
});

it.each([1, 2])(
  "nothing is lost or doubled, wherever a process is cut, with %i of them",
  async (replicas) => {
    const script = join(root, ".sim/test/sim/crash/main.js");
    const { wrong, ...account } = await playCuts({
      script,
      replicas,
      workers: availableParallelism(),
    });
    console.info(`crash points with ${replicas} processes: ${JSON.stringify(account)}`);
    expect(wrong).toEqual([]);
    expect(account).toMatchObject({ played: account.cuts, lost: 0, doubled: 0 });
  },
  LONG_MS,
);
