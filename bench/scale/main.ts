/**
 * `npm run bench:scale`: several daemons on one Postgres. Runs the parts named on the command line,
 * or all.
 */
import { availableParallelism, cpus, loadavg } from "node:os";
import type { Figure } from "../figure.ts";
import { benchFile, benchLoad } from "./load.ts";
import { benchTakeover } from "./takeover.ts";
import { benchThroughput } from "./throughput.ts";

const BENCHES: Readonly<Record<string, () => AsyncGenerator<Figure>>> = {
  takeover: benchTakeover,
  throughput: benchThroughput,
  load: benchLoad,
  file: benchFile,
};

const names = process.argv.slice(2);
console.log(
  `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.versions.node}`,
);
for (const [name, bench] of Object.entries(BENCHES)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for await (const figure of bench()) console.log(`${figure.name}: ${figure.value}`);
  console.log(
    `load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(", ")}`,
  );
}
