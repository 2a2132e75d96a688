/** The line below a message that says who acknowledged its alerts. Plain text, neither escaped nor cut. */
import type { FooterFacts } from "../../model/footer.ts";
import type { Mark } from "../../model/mark.ts";
import type { Region } from "../../model/template.ts";
import { cleanLine } from "./clean-text.ts";
import { spellTime } from "./times.ts";

/** A line names at most this many people. */
const MAX_NAMES = 3;

/**
 * Returns a line such as "Acknowledged by Ada at 12:04" or, for several alerts, "Acknowledged: 3 of
 * 5 by Ada, 1 by Bob". Empty if no alert is acknowledged.
 */
export function acknowledgedLine({ marks, alerts }: FooterFacts, region?: Region): string {
  const people = new Map<string, Mark[]>();
  for (const mark of marks) people.set(mark.by, [...(people.get(mark.by) ?? []), mark]);
  const [first] = marks;
  if (first === undefined) return "";
  if (people.size === 1 && marks.length === alerts) {
    const atMs = Math.max(...marks.map((mark) => mark.atMs));
    const what = alerts === 1 ? "Acknowledged" : `All ${alerts} acknowledged`;
    return `${what} by ${cleanLine(first.by)} at ${spellTime(atMs, region, "time")}`;
  }
  const byCount = [...people].sort(([, a], [, b]) => b.length - a.length);
  const named = byCount
    .slice(0, MAX_NAMES)
    .map(([by, own], index) =>
      index === 0
        ? `${own.length} of ${alerts} by ${cleanLine(by)}`
        : `${own.length} by ${cleanLine(by)}`,
    );
  const others = byCount.length - named.length;
  return `Acknowledged: ${[...named, ...(others > 0 ? [`some by ${others} more`] : [])].join(", ")}`;
}
