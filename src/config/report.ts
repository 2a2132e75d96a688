/**
 * Collects errors and warnings about the files of a configuration, each only once, with its line
 * and column.
 */
import type { Rule } from "./rules.ts";
import type { ConfigIssue, ConfigPlace } from "./config.ts";
import type { Place, SourceFile } from "./tree.ts";

export interface Report {
  error(place: Place, rule: Rule, message: string): void;
  warn(place: Place, rule: Rule, message: string): void;
  hasErrors(): boolean;
  /** Returns all errors and warnings, sorted by file and line. */
  issues(): readonly ConfigIssue[];
}

export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

/** Creates a report. Errors and warnings are sorted in the order of `files`. */
export function createReport(files: readonly SourceFile[]): Report {
  const found = new Map<string, ConfigIssue>();
  const order = new Map(files.map((file, index) => [file.shown, index]));
  const add = (severity: ConfigIssue["severity"], place: Place, rule: Rule, message: string) => {
    const issue = { severity, ...configPlace(place), message, rule };
    found.set(`${issue.file}\n${issue.line}\n${issue.column}\n${message}`, issue);
  };
  const rank = (issue: ConfigIssue) => order.get(issue.file) ?? files.length;
  const compare = (a: ConfigIssue, b: ConfigIssue) =>
    rank(a) - rank(b) || a.line - b.line || a.column - b.column;
  return {
    error: (place, rule, message) => add("error", place, rule, message),
    warn: (place, rule, message) => add("warning", place, rule, message),
    hasErrors: () => [...found.values()].some((issue) => issue.severity === "error"),
    issues: () => [...found.values()].sort(compare),
  };
}

/** Returns the line and column of a place. Both count from 1. */
export function lineColumn({ file, offset }: Place): LineColumn {
  const starts = lineStarts(file);
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/** Returns the place as messages show it: the file with line and column. */
export const configPlace = (place: Place): ConfigPlace => ({
  file: place.file.shown,
  ...lineColumn(place),
});

const known = new WeakMap<SourceFile, readonly number[]>();

function lineStarts(file: SourceFile): readonly number[] {
  const before = known.get(file);
  if (before !== undefined) return before;
  const starts = [0];
  for (let at = file.text.indexOf("\n"); at >= 0; at = file.text.indexOf("\n", at + 1))
    starts.push(at + 1);
  known.set(file, starts);
  return starts;
}

/** Formats an error or a warning as `file:line:column message`, as every command prints it. */
export const formatIssue = (issue: ConfigIssue): string =>
  `${issue.file}:${issue.line}:${issue.column}  ${issue.severity === "warning" ? "warning: " : ""}${issue.message}`;
