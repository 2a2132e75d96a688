/**
 * Thresholds as the YAML writes them, for every watch type that alerts when a number crosses one.
 */
import { z } from "zod";
import { parseThreshold, type Threshold } from "../detect/threshold.ts";

/** The value must come back by this share of a threshold before it fires again. */
export const REARM_SHARE = 0.1;

const thresholdSchema = (name: string, cure: string, isWanted: (threshold: Threshold) => boolean) =>
  z.string().transform((text, context): Threshold => {
    const parsed = parseThreshold(name, text);
    if (parsed !== undefined && isWanted(parsed)) return parsed;
    context.addIssue({ code: "custom", message: `"${text}" is not a threshold: write ${cure}` });
    return z.NEVER;
  });

/** A comparison only: for values that go up and down, where a step would never be reached again. */
export const comparisonSchema = (name: string, cure: string) =>
  thresholdSchema(name, cure, ({ op }) => op !== "every");

/** Output of `whenSchema`: what is written, by name. */
export type When = Readonly<Record<string, Threshold | undefined>>;

const CURE = `a comparison with a number (">= 1000", "< 50") or a step ("every 1000")`;
const HOW = `a comparison (\`">= 1000"\`) or a step (\`"every 1000"\`)`;

/**
 * `when: { name: threshold }` for the numbers named, each with what it counts; at least one must be
 * written.
 */
export const whenSchema = (numbers: Readonly<Record<string, string>>) =>
  z
    .strictObject(
      Object.fromEntries(
        Object.entries(numbers).map(([name, what]) => [
          name,
          thresholdSchema(name, CURE, () => true)
            .optional()
            .describe(`${what}: ${HOW}.`),
        ]),
      ),
    )
    .refine(
      (when) => Object.values(when).some((one) => one !== undefined),
      `when is empty: name at least one of ${Object.keys(numbers).join(", ")}`,
    );

export const thresholdsOf = (when: When | undefined): readonly Threshold[] =>
  Object.values(when ?? {}).filter((one) => one !== undefined);

export const WHEN_TEXT = `Fires when any of them is crossed. A comparison re-arms when the value came back by 10%; a step fires at every multiple that is higher than any before.`;
