/**
 * Numbers as people read them in a chat. The formatters are made when a message is: Intl takes
 * milliseconds for each.
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

/** 999, 12.3K, 4M. Anything that is no finite number reads 0. */
export const formatCompact = (count: number, locale = "en"): string =>
  formatter(locale, "compact").format(finite(count));

/** A change with its sign: +25, -60.5, 0. */
export function formatDelta(delta: number): string {
  const rounded = Math.round((Number.isFinite(delta) ? delta : 0) * 10) / 10;
  return rounded > 0 ? `+${rounded}` : `${rounded}`;
}

/** Every digit that counts: 12,034 or 4,183.88. Anything that is no finite number reads 0. */
export const formatExact = (count: number, locale = "en"): string =>
  formatter(locale, "exact").format(finite(count));
