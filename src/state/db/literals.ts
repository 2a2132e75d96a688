/**
 * Values that queries write out instead of binding, because partial indexes have them as
 * conditions. With a parameter, a query planner cannot know that the index contains the rows, or
 * plans the statement again at every run.
 */
import { sql } from "kysely";

export const WAITING = sql.lit("waiting" as const);
export const OPEN = sql.lit("open" as const);
export const SILENCED = sql.lit("silenced" as const);
export const DEAD = sql.lit("dead" as const);
export const NOT_PUBLISHED = sql.lit("not_published" as const);
export const GROUPED = sql.lit(1);
export const SINGLE = sql.lit(0);
