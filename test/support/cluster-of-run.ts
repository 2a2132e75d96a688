/**
 * Where the tests of one run keep the cluster of the first that makes one: `initdb` takes longer
 * than many of them. Gone with the run.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { makeStateFolder } from "./state-folder.ts";

/** The variable with its place, for the processes that run tests. */
export const CLUSTER_OF_RUN = "TEST_POSTGRES_CLUSTER";

export default function setUp(): () => void {
  const folder = makeStateFolder();
  process.env[CLUSTER_OF_RUN] = join(folder, "cluster");
  return () => rmSync(folder, { recursive: true, force: true });
}
