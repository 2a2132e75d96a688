/** Durations in the syntax of the configuration: `30s`, `5m`, `1h30m`, `2d`. */
import { ownValue } from "./own-value.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Parses a duration to milliseconds; undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d|w))+$/.test(text)) return undefined;
  let totalMs = 0;
  for (const [, count, , unit] of text.matchAll(/(\d+(\.\d+)?)(ms|[smhdw])/g))
    totalMs += Number(count) * (ownValue(UNIT_MS, unit ?? "") ?? 0);
  return totalMs;
}

/** Returns the shortest exact text that `parseDuration` can read: 5400000 is `1h30m`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  let rest = Math.round(ms / 1_000);
  const parts: string[] = [];
  for (const [unit, size] of [
    ["d", 86_400],
    ["h", 3_600],
    ["m", 60],
    ["s", 1],
  ] as const) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count}${unit}`);
    rest -= count * size;
  }
  return parts.join("") || "0s";
}

/**
 * Formats like `formatDuration`, except that whole hours up to a week stay hours, as they are
 * usually written: 24h, 76h.
 */
export const formatHours = (ms: number): string =>
  ms > 0 && ms <= 7 * 24 * HOUR_MS && ms % HOUR_MS === 0 ? `${ms / HOUR_MS}h` : formatDuration(ms);

const HOUR_MS = 3_600_000;
