/**
 * Formats numbers for readers of a chat. Formatters are created on first use and cached, because
 * Intl takes milliseconds to create one.
 */

const kept = new Map<string, Intl.NumberFormat>();

function formatter(locale: string, kind: "compact" | "exact"): Intl.NumberFormat {
  const key = `${locale}\n${kind}`;
  const known =
    kept.get(key) ??
    new Intl.NumberFormat(
      locale,
      kind === "exact"
        ? { maximumFractionDigits: 2 }
        : { notation: "compact", maximumFractionDigits: 1 },
    );
  kept.set(key, known);
  return known;
}

const finite = (value: number): number => (Number.isFinite(value) ? value : 0);

/** Returns 999, 12.3K or 4M. Anything that is not a finite number becomes 0. */
export const formatCompact = (count: number, locale = "en"): string =>
  formatter(locale, "compact").format(finite(count));

/** Returns a change with its sign and at most one decimal place: +25, -60.5, 0. */
export function formatDelta(delta: number): string {
  const rounded = Math.round((Number.isFinite(delta) ? delta : 0) * 10) / 10;
  return rounded > 0 ? `+${rounded}` : `${rounded}`;
}

/**
 * Returns a number in full, with at most two decimal places: 12,034 or 4,183.88. Anything that is
 * not a finite number becomes 0.
 */
export const formatExact = (count: number, locale = "en"): string =>
  formatter(locale, "exact").format(finite(count));
