/** Runs Prometheus' own tool where it is installed. */
import { spawnSync } from "node:child_process";
import type { TestContext } from "vitest";
import { skipAloud } from "./skip-aloud.ts";

export interface PromtoolResult {
  readonly status: number | null;
  /** The text of both streams. */
  readonly output: string;
}

export function promtool(
  context: TestContext,
  args: readonly string[],
  input = "",
): PromtoolResult {
  const { error, status, stdout, stderr } = spawnSync("promtool", args, {
    input,
    encoding: "utf8",
  });
  if (error !== undefined)
    skipAloud(context, "promtool is not installed (Debian's package prometheus has it)");
  return { status, output: `${stdout}${stderr}` };
}
