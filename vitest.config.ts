import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findPostgres } from "./test/support/postgres.ts";

/**
 * Tests that hold a model against days of simulated requests, or play many random scenarios, or one
 * fault of the service after the other: `npm run test:long`, which is `vitest run --mode long`.
 */
const LONG_TESTS = "test/long/**/*.test.ts";
/**
 * Finds the tests that try few random cases in `npm test` and many in `npm run test:long`: those
 * that import `many-runs.ts`.
 */
const findWideTests = (): string[] =>
  readdirSync("test", { recursive: true, encoding: "utf8" })
    .map((file) => join("test", file))
    .filter(
      (file) =>
        file.endsWith(".test.ts") && readFileSync(file, "utf8").includes("/support/many-runs.ts"),
    );

/**
 * Tests that start processes, a Postgres server or a browser, and those that play seeds of the
 * simulation.
 */
const TESTS_OF_PROCESSES = [
  "test/{build,e2e,sim}/**/*.test.ts",
  "test/**/*-on-postgres.test.ts",
  "test/**/*-browser.test.ts",
  "test/faults/hostile-requests.test.ts",
];
/** Tests of the whole daemon, and those that play large tables or days of polls. */
const TESTS_OF_THE_WHOLE = [
  "test/app/**/*.test.ts",
  "test/chat/{choices,discord,hostile-posts,slack,vendors}.test.ts",
  "test/chat/clicks/many-clicks.test.ts",
  "test/engine/{feed-freshness,group*,large-lists,ledger-and-bill,list-groups,probe-crash}.test.ts",
  "test/engine/{quota,readings,recheck,searches,service-faults,shared-probes,via-list}.test.ts",
  "test/engine/{volume,whole-member-lists,health/stall-monitor}.test.ts",
  "test/faults/{clocks,same-cron,sinks}.test.ts",
  "test/operate/alerts/{dead-letters,escalations-at-random,waiting}.test.ts",
  "test/operate/{backfill/backfill,backtest/against-states,reports/large-map}.test.ts",
  "test/operate/views/unseen.test.ts",
  "test/{deliver/flood,watches/member-lists}.test.ts",
];

/**
 * They start a server of their own. The gate always has one: there they fail where it is missing.
 */
const POSTGRES_TESTS = "test/**/*-on-postgres.test.ts";

function withoutPostgres(): readonly string[] {
  if (process.env["CI"] === "true" || findPostgres() !== undefined) return [];
  console.warn(
    `No Postgres here: ${POSTGRES_TESTS} are left out. \`npm ci\` brings one, and so does Debian's package postgresql.`,
  );
  return [POSTGRES_TESTS];
}

/**
 * Most of what a test runs is over before optimising it pays: compiling took 28% of the CPU time in
 * files of the engine, and 8% like this. Later releases of Node lack the option.
 */
const optimiseLate = (): string[] =>
  process.versions.node.startsWith("20.") ? ["--interrupt-budget=1000000"] : [];

/** Where tests wait for processes of their own. */
const WAITING = /\/test\/(?:build|cli|e2e)\//;
/** Where tests compute longest: one that began last would be waited for alone. */
const SLOW = /\/test\/(?:app|engine|sim|state)\//;
/** So many others begin between two files that wait: they compute meanwhile. */
const BETWEEN_WAITING = 4;

/** Those that wait are spread among those that compute, of which the slow ones come first. */
class SpreadWaiting extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    if (this.ctx.config.sequence.shuffle === true) return this.#shuffle(files);
    const sorted = await super.sort(files);
    const isWaiting = ({ moduleId }: TestSpecification): boolean => WAITING.test(moduleId);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.test(moduleId);
    const others = sorted.filter((file) => !isWaiting(file));
    const computing = [...others.filter(isSlow), ...others.filter((file) => !isSlow(file))];
    const mixed = sorted
      .filter(isWaiting)
      .flatMap((file) => [file, ...computing.splice(0, BETWEEN_WAITING)]);
    return [...mixed, ...computing];
  }

  /**
   * `--sequence.shuffle` reaches the tests within a file; the order of files is a sequencer's. The
   * same seed is the same order everywhere.
   */
  #shuffle(files: readonly TestSpecification[]): TestSpecification[] {
    const { root, sequence } = this.ctx.config;
    const rank = ({ moduleId }: TestSpecification): string =>
      createHash("sha256")
        .update(`${sequence.seed} ${relative(root, moduleId)}`)
        .digest("hex");
    return files.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
  }
}

/** `npm test` is the first project. `.ci/run` runs both, and so does `vitest run` with a file. */
function projectsOfGate(mode: string) {
  const slow = [...TESTS_OF_PROCESSES, ...TESTS_OF_THE_WHOLE];
  const project = (name: string, include: string[], exclude: readonly string[]) => ({
    extends: true as const,
    mode,
    test: { name, include, exclude: [LONG_TESTS, ...exclude] },
  });
  return [project("quick", ["test/**/*.test.ts"], slow), project("slow", slow, withoutPostgres())];
}

export default defineConfig(({ mode }) => ({
  test: {
    ...(mode === "long"
      ? { include: [LONG_TESTS, ...findWideTests()], exclude: [] }
      : { projects: projectsOfGate(mode) }),
    globalSetup: ["test/support/cluster-of-run.ts"],
    setupFiles: ["test/support/watch-children.ts", "test/support/limits.ts"],
    // They end what hangs. What is slow only because the machine is busy is no failure.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // What is written in this process has no colours, whoever runs the tests: a terminal, a pipe,
    // or a CI job, whose variable CI turns them on.
    env: { NO_COLOR: "1" },
    pool: "forks",
    // A process loads a module once, not once a file: half of what most files cost. Helpers hook on
    // to the test that calls them, not to the file.
    isolate: false,
    execArgv: optimiseLate(),
    // Tests of processes wait more than they compute, and others compute meanwhile.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    sequence: { sequencer: SpreadWaiting },
  },
}));
