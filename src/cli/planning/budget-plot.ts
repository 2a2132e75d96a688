/**
 * Plots the requests of the period with plain characters: the spent ones, the expected ones, and
 * the limit. The plot has no colour, so that NO_COLOR needs no special case.
 */
import type { BudgetView } from "../../server/schema/budget-view.ts";
import { formatCount } from "../terminal/table.ts";

const HEIGHT = 10;
const MIN_WIDTH = 20;
const MAX_WIDTH = 100;
const SPENT = "#";
const EXPECTED = ".";
const LINE = "-";

/** Returns the plot; "" if the terminal is too narrow for it. */
export function plotSpending(
  { quota, hours }: BudgetView,
  { nowMs, columns }: { readonly nowMs: number; readonly columns: number },
): string {
  const [startMs, endMs] = [Date.parse(quota.period_start), Date.parse(quota.period_end)];
  const top = Math.max(quota.limit ?? 0, quota.expected ?? 0, quota.spent, 1);
  const label = formatCount(top).length;
  const width = Math.min(columns - label - 3, MAX_WIDTH);
  if (width < MIN_WIDTH) return "";
  const levels = Array.from({ length: width }, (_, x) =>
    levelAt(startMs + ((x + 1) / width) * (endMs - startMs)),
  );
  const lineRow = quota.line === null ? -1 : rowOf(quota.line);

  /**
   * Returns the number of requests from the start of the period to a moment. In the past these are
   * the spent requests; in the future they grow evenly to the expected total.
   */
  function levelAt(
    atMs: number,
  ): { readonly count: number; readonly isSpent: boolean } | undefined {
    const isSpent = atMs - (endMs - startMs) / width <= nowMs;
    if (isSpent)
      return {
        count: hours.reduce((sum, { at, spent }) => (Date.parse(at) < atMs ? sum + spent : sum), 0),
        isSpent,
      };
    if (quota.expected === null) return undefined;
    return {
      count:
        quota.spent +
        ((quota.expected - quota.spent) * (atMs - nowMs)) / Math.max(1, endMs - nowMs),
      isSpent,
    };
  }

  function rowOf(count: number): number {
    return Math.min(HEIGHT - 1, Math.ceil((count / top) * HEIGHT) - 1);
  }

  const cellAt = (x: number, row: number): string => {
    const level = levels[x];
    const height = level === undefined ? -1 : rowOf(level.count);
    if (level?.isSpent === true && level.count > 0 && height >= row) return SPENT;
    if (level?.isSpent === false && height === row) return EXPECTED;
    return row === lineRow ? LINE : " ";
  };
  const rows = Array.from({ length: HEIGHT }, (_, i) => {
    const row = HEIGHT - 1 - i;
    const mark =
      row === HEIGHT - 1
        ? formatCount(top)
        : row === lineRow && quota.line !== null
          ? formatCount(quota.line)
          : "";
    return `${mark.padStart(label)} |${levels.map((_, x) => cellAt(x, row)).join("")}`.trimEnd();
  });
  const dates = [quota.period_start.slice(5, 10), quota.period_end.slice(5, 10)] as const;
  const axis = `${"0".padStart(label)} +${LINE.repeat(width)}`;
  const legend = `${SPENT} spent${quota.expected === null ? "" : `  ${EXPECTED} expected`}${lineRow < 0 ? "" : `  ${LINE} where scheduled polls stop`}`;
  const indent = " ".repeat(label + 2);
  return [
    ...rows,
    axis,
    `${indent}${dates[0]}${" ".repeat(width - dates[0].length - dates[1].length)}${dates[1]}`,
    `${indent}${legend}`,
  ].join("\n");
}
