/** Adds time and id bounds to a user's query without changing the query's meaning. */

export interface Bounds {
  /** The lower bound in Unix seconds, inclusive. */
  readonly sinceTime?: number;
  /** The upper bound in Unix seconds, exclusive. */
  readonly untilTime?: number;
  /** The highest tweet id, inclusive. */
  readonly maxId?: string | undefined;
}

/**
 * Returns the query with its bounds: `a OR b` becomes `(a OR b) since_time:…`. Without bounds, the
 * text is returned unchanged.
 */
export function withBounds(queryText: string, bounds: Bounds): string {
  const parts: string[] = [];
  if (bounds.sinceTime !== undefined) parts.push(`since_time:${Math.floor(bounds.sinceTime)}`);
  if (bounds.untilTime !== undefined) parts.push(`until_time:${Math.ceil(bounds.untilTime)}`);
  if (bounds.maxId !== undefined) parts.push(`max_id:${bounds.maxId}`);
  return parts.length === 0 ? queryText : [`(${queryText})`, ...parts].join(" ");
}
