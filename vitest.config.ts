import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // They end what hangs. What is slow only because the machine is busy is no failure; where time is the point, the test itself says how much.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // What is written in this process has no colours, whoever runs the tests: a terminal, a pipe, or a CI job, whose variable CI turns them on.
    env: { NO_COLOR: "1" },
    pool: "forks",
    // One less than there are cores is the standard; tests of processes wait more than they compute.
    maxWorkers: "100%",
  },
});
