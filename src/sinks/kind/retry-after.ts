/** The Retry-After header of RFC 9110: seconds or a date. */

const SHORTEST_MS = 1_000;
/** A date years ahead is a mistake of the other side, not a reason to wait for it. */
const LONGEST_MS = 86_400_000;

/** How long to wait, within one second and one day; undefined when the header is absent or unreadable. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  if (Number.isNaN(waitMs)) return undefined;
  return Math.min(Math.max(Math.ceil(waitMs), SHORTEST_MS), LONGEST_MS);
}
