/**
 * The values that queries contain as literals instead of parameters, because they are the
 * conditions of partial indexes. If such a value were a parameter, the query planner could not know
 * that the index contains the rows, or would plan the statement again at every run.
 */
import { sql } from "kysely";

export const WAITING = sql.lit("waiting" as const);
export const OPEN = sql.lit("open" as const);
export const SILENCED = sql.lit("silenced" as const);
export const DEAD = sql.lit("dead" as const);
export const NOT_PUBLISHED = sql.lit("not_published" as const);
export const GROUPED = sql.lit(1);
export const SINGLE = sql.lit(0);
