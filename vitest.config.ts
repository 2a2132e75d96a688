import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    pool: "forks",
    // One less than there are cores is the standard; tests of processes wait more than they compute.
    maxWorkers: "100%",
  },
});
