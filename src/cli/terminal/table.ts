/**
 * Formats tables, counts and ages for all commands. They have no colour, so that NO_COLOR needs no
 * special case.
 */
import type { Effect } from "../../server/schema/change-view.ts";
import { cleanLine } from "../../render/text/clean-text.ts";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

const GAP = "  ";

/**
 * Formats titles, then one line per row. Control characters and line breaks are removed from cells.
 * Lines have no trailing space, and are cut at `width` columns if it is given.
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
): string {
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => row.map(cleanLine))];
  const widths = columns.map((_, index) =>
    Math.max(...cells.map((row) => widthOf(row[index] ?? ""))),
  );
  const lines = cells.map((row) =>
    columns
      .map(({ align }, index) => pad(row[index] ?? "", widths[index] ?? 0, align))
      .join(GAP)
      .trimEnd(),
  );
  return lines.map((line) => cutLine(line, width)).join("\n");
}

function cutLine(line: string, width: number): string {
  if (line.length <= width) return line;
  const points = Array.from(line);
  return points.length <= width ? line : `${points.slice(0, Math.max(0, width - 1)).join("")}…`;
}

/**
 * Returns the number of code points, which is close enough to the width on a screen for handles,
 * numbers and times.
 */
const widthOf = (text: string): number => Array.from(text).length;

function pad(text: string, width: number, align: Column["align"]): string {
  const fill = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "right" ? fill + text : text + fill;
}

/** Formats a count with thousands separators; fractions below 10 keep one decimal. */
export function formatCount(count: number): string {
  const rounded =
    count < 10 && !Number.isInteger(count) ? Math.round(count * 10) / 10 : Math.round(count);
  return rounded.toLocaleString("en-US");
}

/** Returns a count such as `3 requests` or `1 request`. */
export function plural(count: number, noun: string): string {
  const shown = formatCount(count);
  return `${shown} ${noun}${shown === "1" ? "" : "s"}`;
}

/** Returns an age in the largest useful unit: `45s`, `12m`, `5h`, `3d`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 90) return `${seconds}s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)}h` : `${Math.round(seconds / 86_400)}d`;
}

/** Says when a change takes effect and which daemon carries it out. */
export const formatEffect = ({ effect }: Effect): string => `takes effect ${effect}`;
