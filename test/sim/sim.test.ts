import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { createSystemRandom } from "../../src/runtime/system-random.ts";
import { createStore } from "../../src/state/store.ts";
import { loadText } from "../config/load-text.ts";
import { playCuts } from "./crash/play-cuts.ts";
import { createDice } from "./draw/dice.ts";
import { drawConfig } from "./draw/draw-config.ts";
import { drawScenario } from "./draw/draw-scenario.ts";
import { limitRequests } from "./draw/limit-requests.ts";
import { NOT_DRAWN } from "./draw/not-drawn.ts";
import { CRASH_POINTS, STORE_METHODS } from "./run/crash-points.ts";
import type { Verdict } from "./run/play-seed.ts";
import { failedSeed, type Job, spread } from "./run/workers.ts";
import { keysOfConfig, keysOfSchema } from "./schema-keys.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
/** The most configurations to draw. Half of them already have all keys. */
const CONFIGS = 4_000;
const TAKEN = 15;

/**
 * Builds without type checks, which take three quarters of the time and are done by `npm run
 * types`.
 */
beforeAll(async () => {
  await run(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.sim.json", "--noCheck"],
    { cwd: root },
  );
});

/** `.ci/run` also plays the stored scenarios and a minute of seeds. */
it("plays a seed twice, and another one with replicas that stall and are replaced, and finds nothing wrong", async () => {
  const jobs: Job[] = [
    { seed: 26, isTwice: true },
    { seed: 3007, replicas: 2, isTwice: true },
  ];
  const verdicts: Verdict[] = [];
  // Runs the compiled script as `npm run sim` does. Under the test runner, loading modules takes
  // time in which the virtual clock goes on.
  const script = join(root, ".sim/test/sim/main.js");
  await spread({
    script,
    workers: 1,
    next: () => jobs.shift(),
    failed: failedSeed,
    onVerdict: (verdict) => void verdicts.push(verdict),
  });
  const [one, several] = verdicts;
  expect(verdicts.map(({ seed, objections }) => ({ seed, objections }))).toEqual([
    { seed: 26, objections: [] },
    { seed: 3007, objections: [] },
  ]);
  expect([one?.counts.messages, several?.counts.stalls, several?.counts.replaced]).not.toContain(0);
});

/** Each cut takes a whole run, and so does finding where to cut: `npm run test:long` plays all. */
it("loses nothing and doubles nothing where one of two processes is cut", async () => {
  const script = join(root, ".sim/test/sim/crash/main.js");
  const { points, cuts, ...account } = await playCuts({
    script,
    replicas: 2,
    workers: 1,
    count: 1,
  });
  expect(account).toMatchObject({ played: 1, lost: 0, doubled: 0, wrong: [] });
  expect(points).toBeGreaterThan(cuts);
  expect(cuts).toBeGreaterThan(500);
}, 300_000);

it("draws every key of the configuration that has no reason to be left out", () => {
  const schema = JSON.parse(
    readFileSync(join(root, "config/watches.schema.json"), "utf8"),
  ) as JsonObject;
  const excused = (key: string): boolean => NOT_DRAWN.some(({ keys }) => keys.test(key));
  const missing = new Set(keysOfSchema(schema).filter((key) => !excused(key)));
  const drawn = new Set<string>();
  for (let seed = 1; seed <= CONFIGS && missing.size > 0; seed += 1)
    for (const key of keysOfConfig(drawConfig(createDice(seed)).config)) {
      drawn.add(key);
      missing.delete(key);
    }
  expect([...missing], "keys that test/sim/draw never draws: see test/sim/README.md").toEqual([]);
  expect(
    NOT_DRAWN.filter(({ keys }) => [...drawn].some((key) => keys.test(key))).map(({ keys }) =>
      String(keys),
    ),
  ).toEqual([]);
});

it("draws only configurations that the daemon accepts", async () => {
  for (let seed = 1; seed <= TAKEN; seed += 1) {
    const { config: first, files, steps } = drawScenario(seed);
    const beside = Object.fromEntries(
      Object.entries(files).map(([name, content]) => [`/etc/chirpwatch/${name}`, content]),
    );
    for (const config of [
      first,
      ...steps.flatMap((step) => (step.do === "reload" ? [step.config] : [])),
    ]) {
      let ids = 2029911223344556677n;
      const text = JSON.stringify(config).replace(/%(?:post|user|space):\w+%/g, () =>
        String((ids += 1n)),
      );
      const loaded = await loadText(text, {
        files: beside,
        env: { CHIRPWATCH_ALLOW_EXEC: "/usr/local/bin/on-alert" },
      });
      expect(
        loaded.ok
          ? []
          : loaded.issues
              .filter(({ severity }) => severity === "error")
              .map(({ message }) => message),
        `seed ${seed}`,
      ).toEqual([]);
    }
  }
});

it("makes a large scenario shorter and polls less often in it, and leaves a small one alone", () => {
  const watches = (count: number) => ({
    w0: {
      type: "timeline",
      schedule: "@every 30s",
      accounts: Array.from({ length: count }, (_, n) => `a${n}`),
    },
  });
  const large = {
    ...{
      ...drawScenario(1, 1),
      mode: "safety" as const,
      busyMs: 180 * 60_000,
      files: {},
      config: { watches: watches(20) },
    },
    steps: [{ do: "restart", atMs: 90 * 60_000, downMs: 0 } as const],
  };
  const small = {
    ...large,
    busyMs: 60 * 60_000,
    config: { watches: { w0: { ...watches(1).w0, schedule: "*/5 * * * *" } } },
  };
  expect(limitRequests(small)).toBe(small);
  const limited = limitRequests(large);
  expect(limited).toMatchObject({ busyMs: 25 * 60_000, steps: [{ atMs: 12.5 * 60_000 }] });
  expect(limited.config).toMatchObject({ watches: { w0: { schedule: "@every 420s" } } });
});

it("knows every method of the store, to cut processes at those that write", () => {
  const store = createStore({} as never, { random: createSystemRandom() } as never, () =>
    Promise.resolve(),
  );
  expect([...STORE_METHODS].sort()).toEqual(Object.keys(store).sort());
});

it("cuts processes at forty points and more", () => {
  expect(new Set(CRASH_POINTS).size).toBeGreaterThanOrEqual(40);
  const missing = new Set<string>(CRASH_POINTS);
  for (let seed = 1; seed <= 2_000 && missing.size > 0; seed += 1)
    for (const step of drawScenario(seed).steps)
      if (step.do === "crash") missing.delete(step.point);
  expect([...missing]).toEqual([]);
});
