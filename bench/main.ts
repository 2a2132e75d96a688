/**
 * Runs the benchmarks named on the command line, or all. Prints one line for each figure with the
 * machine it was measured on, then the ratios compared with earlier runs. `--record LABEL` adds the
 * ratios to the history.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { benchAddedDelay } from "./added-delay.ts";
import { benchArchive } from "./archive.ts";
import { benchBacktest } from "./backtest.ts";
import { benchBurst } from "./burst.ts";
import { benchColdStart } from "./cold-start.ts";
import { benchCommand } from "./command.ts";
import { benchCommit } from "./commit.ts";
import type { Bench } from "./figure.ts";
import { benchFirstReads } from "./first-reads.ts";
import { addLine, type HistoryLine, historyTable, historyText, parseHistory } from "./history.ts";
import { benchIdle } from "./idle.ts";
import { benchOutbox } from "./outbox.ts";
import { benchPages } from "./pages.ts";
import { benchReport } from "./report.ts";
import { benchStarts } from "./starts.ts";

const BENCHES: Readonly<Record<string, Bench>> = {
  "cold-start": benchColdStart,
  command: benchCommand,
  starts: benchStarts,
  idle: benchIdle,
  "first-reads": benchFirstReads,
  commit: benchCommit,
  archive: benchArchive,
  backtest: benchBacktest,
  outbox: benchOutbox,
  "added-delay": benchAddedDelay,
  burst: benchBurst,
  report: benchReport,
  pages: benchPages,
};

/** The path is relative to .bench/bench/, the output folder of this file. */
const HISTORY = new URL("../../bench/history.ndjson", import.meta.url);

const { values, positionals: names } = parseArgs({
  options: { record: { type: "string" } },
  allowPositionals: true,
});
for (const name of names)
  if (!Object.hasOwn(BENCHES, name))
    throw new Error(`no benchmark ${name}: ${Object.keys(BENCHES).join(", ")}`);

console.log(
  `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.versions.node}, ${process.platform}`,
);
const ratios: Record<string, number> = {};
for (const [name, bench] of Object.entries(BENCHES)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const figure of await bench()) {
    console.log(`${figure.name}: ${figure.value}`);
    Object.assign(ratios, figure.ratios);
  }
}
const history = parseHistory(readFileSync(HISTORY, "utf8"));
const now: HistoryLine = {
  label: values.record ?? "now",
  date: new Date(Date.now()).toISOString().slice(0, 10),
  node: process.versions.node,
  ratios,
};
console.log(`\n${historyTable(history, now)}`);
if (values.record !== undefined) writeFileSync(HISTORY, historyText(addLine(history, now)));
