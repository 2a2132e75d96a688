/** Names of sinks where they are used: in watches, routes and `ops`. */
import type { Report } from "../report.ts";
import { didYouMean } from "../suggest.ts";
import type { Place } from "../tree.ts";

/** Complains of names no sink has. `placeAt` gives the place of the nth name. */
export function checkSinks(wanted: readonly string[], placeAt: (index: number) => Place, known: readonly string[], report: Report): void {
  for (const [index, name] of wanted.entries()) {
    if (known.includes(name)) continue;
    const hint = didYouMean(name, known) || (known.length === 0 ? "; none is defined under `sinks`" : `; there are ${known.join(", ")}`);
    report.error(placeAt(index), "unknown-sink", `there is no sink "${name}"${hint}`);
  }
}
