/** Runs the benchmarks of delivery that are named on the command line, or all of them. */
import type { Bench } from "../figure.ts";
import { benchClickToEdit } from "./click-to-edit.ts";
import { benchDrain } from "./drain.ts";
import { benchStageDelays } from "./stage-delays.ts";
import { benchThroughput } from "./throughput.ts";

const BENCHES: Readonly<Record<string, Bench>> = {
  drain: benchDrain,
  throughput: benchThroughput,
  "stage-delays": benchStageDelays,
  "click-to-edit": benchClickToEdit,
};

const names = process.argv.slice(2);
for (const name of names)
  if (!Object.hasOwn(BENCHES, name))
    throw new Error(`no benchmark ${name}: ${Object.keys(BENCHES).join(", ")}`);
for (const [name, bench] of Object.entries(BENCHES)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const figure of await bench()) console.log(`${figure.name}: ${figure.value}`);
}
