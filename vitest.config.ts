import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Where tests take longest: one that began last would be waited for alone. */
const LONG = /\/test\/(?:app|e2e|engine|sim)\/|\/test\/plan\/probe-allocation\./;

class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/watch-children.ts"],
    // They end what hangs. What is slow only because the machine is busy is no failure; where time is the point, the test itself says how much.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // What is written in this process has no colours, whoever runs the tests: a terminal, a pipe, or a CI job, whose variable CI turns them on.
    env: { NO_COLOR: "1" },
    pool: "forks",
    // A process loads a module once, not once a file: half of what most files cost. Helpers hook on to the test that calls them, not to the file.
    isolate: false,
    // One less than there are cores is the standard; tests of processes wait more than they compute.
    maxWorkers: "100%",
    sequence: { sequencer: LongOnesFirst },
  },
});
