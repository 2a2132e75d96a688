/**
 * Values that queries contain as literals and not as parameters, because partial indexes have them
 * as conditions. With a parameter, the query planner could not know that an index contains the
 * rows, or would have to plan the statement at every run. The same holds for the pattern of a `like`.
 * `test/state/db/plan-once.test.ts` finds parameters that are compared with such a column.
 */
import { sql } from "kysely";

export const WAITING = sql.lit("waiting" as const);
export const OPEN = sql.lit("open" as const);
export const SILENCED = sql.lit("silenced" as const);
export const MERGED = sql.lit("merged" as const);
export const SEALED = sql.lit("sealed" as const);
export const DUPLICATE = sql.lit("duplicate" as const);
export const SENT = sql.lit("sent" as const);
export const DEAD = sql.lit("dead" as const);
export const NOT_PUBLISHED = sql.lit("not_published" as const);
export const REFUSED = sql.lit("refused" as const);
export const ENRICHED = sql.lit("ok" as const);
export const GROUPED = sql.lit(1);
export const SINGLE = sql.lit(0);
export const TWEET_EVENTS = sql.lit("tweet.%");
