/** Numbers as people read them in a chat. The formatters are made when a message is: Intl takes milliseconds for each. */
import { lazy } from "../../model/lazy.ts";

const compact = lazy(() => new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }));

/** 999, 12.3K, 4M. Anything that is no finite number reads 0. */
export const formatCompact = (count: number): string => compact().format(Number.isFinite(count) ? count : 0);

/** A change with its sign: +25, -60.5, 0. */
export function formatDelta(delta: number): string {
  const rounded = Math.round((Number.isFinite(delta) ? delta : 0) * 10) / 10;
  return rounded > 0 ? `+${rounded}` : `${rounded}`;
}

const exact = lazy(() => new Intl.NumberFormat("en", { maximumFractionDigits: 2 }));

/** Every digit that counts: 12,034 or 4,183.88. Anything that is no finite number reads 0. */
export const formatExact = (count: number): string => exact().format(Number.isFinite(count) ? count : 0);
