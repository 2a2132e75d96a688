/**
 * Schemas for the query part of an address (after `?`). An empty value counts as absent. Each error
 * message completes a sentence that begins with the name of the value.
 */
import { z } from "zod";

const MAX_SHOWN = 80;

/**
 * Creates the schema of a value that `parse` reads. If `parse` returns undefined, the error message
 * says that the value must be what `expected` describes.
 */
export const parsedValue = <T>(
  parse: (text: string) => T | undefined,
  expected: string,
  description = expected,
) =>
  z
    .string({ error: () => "may be given once" })
    .transform((written, context): T | undefined => {
      const text = written.trim();
      if (text === "") return undefined;
      const parsed = parse(text);
      if (parsed === undefined)
        context.addIssue({
          code: "custom",
          message: `must be ${expected}, not "${text.slice(0, MAX_SHOWN)}"`,
        });
      return parsed;
    })
    .optional()
    .describe(description);

export const textValue = (description: string) =>
  parsedValue((text) => text, "a text", description);

export const flagValue = (description: string) =>
  parsedValue(
    (text) => (text === "true" || text === "false" ? text === "true" : undefined),
    "true or false",
    description,
  );

/** Creates the schema of a query with these values. A query with any other value is refused. */
export const addressSchema = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? unknownNames(issue["keys"], shape) : undefined,
  });

function unknownNames(keys: unknown, shape: object): string {
  const names = (keys as readonly string[]).map((key) => `"${key.slice(0, MAX_SHOWN)}"`);
  return `there is no ${names.join(", ")} here, but ${Object.keys(shape).join(", ")}`;
}

interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

/** Returns a sentence that says what is wrong with a query. */
export const queryProblem = (issues: readonly Issue[]): string =>
  issues.map(({ message, path = [] }) => [...path.map(String), message].join(" ")).join("; ");
