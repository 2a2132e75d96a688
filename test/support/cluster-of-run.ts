/**
 * Keeps the Postgres cluster that the first test file of a run creates, for the other files to
 * copy: `initdb` takes longer than many tests. It is removed with the run.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { makeStateFolder } from "./state-folder.ts";

/** The environment variable with the cluster's place, for the processes that run tests. */
export const CLUSTER_OF_RUN = "TEST_POSTGRES_CLUSTER";

export default function setUp(): () => void {
  const folder = makeStateFolder();
  process.env[CLUSTER_OF_RUN] = join(folder, "cluster");
  return () => rmSync(folder, { recursive: true, force: true });
}
