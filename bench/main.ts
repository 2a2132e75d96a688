/**
 * Runs the benchmarks named on the command line, or all, and prints a figure a line beside the
 * machine it was taken on.
 */
import { availableParallelism, cpus } from "node:os";
import { benchAddedDelay } from "./added-delay.ts";
import { benchArchive } from "./archive.ts";
import { benchBacktest } from "./backtest.ts";
import { benchColdStart } from "./cold-start.ts";
import { benchCommit } from "./commit.ts";
import type { Bench } from "./figure.ts";
import { benchFirstReads } from "./first-reads.ts";
import { benchIdle } from "./idle.ts";
import { benchOutbox } from "./outbox.ts";
import { benchPages } from "./pages.ts";
import { benchReport } from "./report.ts";

const BENCHES: Readonly<Record<string, Bench>> = {
  "cold-start": benchColdStart,
  idle: benchIdle,
  "first-reads": benchFirstReads,
  commit: benchCommit,
  archive: benchArchive,
  backtest: benchBacktest,
  outbox: benchOutbox,
  "added-delay": benchAddedDelay,
  report: benchReport,
  pages: benchPages,
};

const names = process.argv.slice(2);
for (const name of names)
  if (!Object.hasOwn(BENCHES, name))
    throw new Error(`no benchmark ${name}: ${Object.keys(BENCHES).join(", ")}`);

console.log(
  `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.versions.node}, ${process.platform}`,
);
for (const [name, bench] of Object.entries(BENCHES)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const figure of await bench()) console.log(`${figure.name}: ${figure.value}`);
}
