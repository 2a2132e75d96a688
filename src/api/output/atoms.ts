/**
 * The small parts of what the service sends, as schemas: ids, times, cursors, pages. Shapes of
 * api-v3.md, widened where docs/service.md has more forms.
 */
import { z } from "zod";

export const digits = z.string().regex(/^\d{1,20}$/);
export const integer = z.int();

/**
 * A time as text: ISO 8601, or the platform's own `Fri Mar 06 13:38:49 +0000 2026` (docs/service.md
 * section 2).
 */
export const timeText = z.union([
  z.iso.datetime({ offset: true }),
  z.string().regex(/^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d? \d\d:\d\d:\d\d [+-]\d{4} \d{4}$/),
]);
/** Null when empty (docs/service.md section 2). */
export const textsOrNull = z.array(z.string()).nullable();

/** Text, or none at the end (api-v3.md, Shared rules 2 and 3). */
const nextCursor = z.string().nullable().optional();

export const pageOutput = <T extends z.ZodType>(name: "tweets" | "users", item: T) =>
  z.lazy(() => z.looseObject({ next_cursor: nextCursor, [name]: z.array(item) }));

export const listOutput = <T extends z.ZodType>(name: "tweets" | "users" | "trends", item: T) =>
  z.lazy(() => z.looseObject({ [name]: z.array(item) }));

/** A single object that has a cursor all the same: /check-retweet. */
export const withCursor = { next_cursor: nextCursor };

/** The body of every answer that is not 200. */
export const errorOutput = z.lazy(() =>
  z.looseObject({ message: z.string() }).meta({ id: "Error" }),
);
