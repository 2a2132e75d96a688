/**
 * The history of the ratios: one line of JSON for each recorded run in bench/history.ndjson, and
 * the table that shows how the ratios moved. A lower ratio is better. Pure; main.ts reads and
 * writes.
 */

export interface HistoryLine {
  /** A name for what had landed by then. */
  readonly label: string;
  /** The date of the recording, such as `2026-11-29`. */
  readonly date: string;
  readonly node: string;
  readonly ratios: Readonly<Record<string, number>>;
}

/** The columns of the table: the last recorded runs, and the present one. */
const RUNS_SHOWN = 6;
/** A ratio is marked if it is this much above the lowest that was recorded before. */
const DRIFT = 1.1;
const DIGITS = 3;

export const parseHistory = (text: string): readonly HistoryLine[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as HistoryLine);

export const historyText = (history: readonly HistoryLine[]): string =>
  history.map((line) => `${JSON.stringify(line)}\n`).join("");

/** Adds a run. A second run with the label of the last line replaces the ratios that both have. */
export function addLine(
  history: readonly HistoryLine[],
  line: HistoryLine,
): readonly HistoryLine[] {
  const last = history.at(-1);
  if (last?.label !== line.label) return [...history, line];
  return [...history.slice(0, -1), { ...line, ratios: { ...last.ratios, ...line.ratios } }];
}

/**
 * Prints a row for each ratio and a column for each run, the present one last. `!` marks a ratio
 * that is more than a tenth above the lowest before it.
 */
export function historyTable(history: readonly HistoryLine[], now: HistoryLine): string {
  const runs = [...history, now];
  const names = [...new Set(runs.flatMap(({ ratios }) => Object.keys(ratios)))];
  const from = Math.max(0, runs.length - RUNS_SHOWN - 1);
  const cells = names.map((name) => {
    const values = runs.map(({ ratios }) => ratios[name]);
    return [name, ...values.map((value, at) => cell(value, values.slice(0, at))).slice(from)];
  });
  const head = ["ratio", ...runs.map(({ label }) => label).slice(from)];
  const widths = head.map((_, column) =>
    Math.max(...[head, ...cells].map((row) => row[column]?.length ?? 0)),
  );
  return [head, ...cells]
    .map((row) =>
      row
        .map((text, column) => {
          const width = widths[column] ?? 0;
          return column === 0 ? text.padEnd(width) : text.padStart(width);
        })
        .join("  "),
    )
    .join("\n");
}

function cell(value: number | undefined, before: readonly (number | undefined)[]): string {
  if (value === undefined) return "-";
  const lowest = Math.min(...before.filter((one) => one !== undefined));
  return `${Number(value.toPrecision(DIGITS))}${value > lowest * DRIFT ? "!" : ""}`;
}
