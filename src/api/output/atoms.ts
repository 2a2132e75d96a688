/**
 * Schemas of the small parts of an answer: ids, times, cursors, pages. The shapes are those of
 * api-v3.md, extended by those of docs/service.md.
 */
import { z } from "zod";

export const digits = z.string().regex(/^\d{1,20}$/);
export const integer = z.int();

/**
 * A time as text: in ISO 8601, or in the platform's own format, `Fri Mar 06 13:38:49 +0000 2026`
 * (docs/service.md, section 2).
 */
export const timeText = z.union([
  z.iso.datetime({ offset: true }),
  z.string().regex(/^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d? \d\d:\d\d:\d\d [+-]\d{4} \d{4}$/),
]);
/**
 * An array of texts. The service sends null instead of an empty array (docs/service.md, section 2).
 */
export const textsOrNull = z.array(z.string()).nullable();

/**
 * The cursor of the next page; null or absent on the last page (api-v3.md, Shared rules 2 and 3).
 */
const nextCursor = z.string().nullable().optional();

export const pageOutput = <T extends z.ZodType>(name: "tweets" | "users", item: T) =>
  z.lazy(() => z.looseObject({ next_cursor: nextCursor, [name]: z.array(item) }));

export const listOutput = <T extends z.ZodType>(name: "tweets" | "users" | "trends", item: T) =>
  z.lazy(() => z.looseObject({ [name]: z.array(item) }));

/** The field for the cursor of /check-retweet, whose answer is one object but still has pages. */
export const withCursor = { next_cursor: nextCursor };

/** The body of every answer with an error status. */
export const errorOutput = z.lazy(() =>
  z.looseObject({ message: z.string() }).meta({ id: "Error" }),
);
