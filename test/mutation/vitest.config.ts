import { mergeConfig, type ViteUserConfig } from "vitest/config";
import type { TestSpecification } from "vitest/node";
import shared from "../../vitest.config.ts";

const tests = (process.env["MUTATION_TESTS"] ?? "").split(",");

/** The first failure ends a run, so quick tests go first. */
class AsListed {
  shard = (files: TestSpecification[]): TestSpecification[] => files;
  sort(files: TestSpecification[]): TestSpecification[] {
    const placeOf = ({ moduleId }: TestSpecification): number =>
      tests.findIndex((name) => moduleId.endsWith(name));
    return files.sort((a, b) => placeOf(a) - placeOf(b));
  }
}

/** Stryker asks for threads, but these cannot set the rights of new files as the state does. */
const inProcesses = {
  name: "in-processes",
  configureVitest({ project }: { readonly project: { config: { pool: string } } }) {
    project.config.pool = "forks";
  },
};

/**
 * The tests of one part. Stryker's own choice of test files would activate a mutant of a module's
 * constants only after the module has loaded.
 */
const config: ViteUserConfig = mergeConfig(shared({ command: "serve", mode: "test" }), {
  plugins: [inProcesses],
});
config.test = {
  ...config.test,
  include: tests,
  testTimeout: 20_000,
  sequence: { sequencer: AsListed },
};
export default config;
