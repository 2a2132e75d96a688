/** The schema of thresholds, for every watch type that alerts when a number crosses one. */
import { z } from "zod";
import { parseThreshold, type Threshold } from "../detect/threshold.ts";

/** A threshold fires again only after the value has moved back by this share of the threshold. */
export const REARM_SHARE = 0.1;

const thresholdSchema = (name: string, cure: string, isWanted: (threshold: Threshold) => boolean) =>
  z.string().transform((text, context): Threshold => {
    const parsed = parseThreshold(name, text);
    if (parsed !== undefined && isWanted(parsed)) return parsed;
    context.addIssue({ code: "custom", message: `"${text}" is not a threshold: write ${cure}` });
    return z.NEVER;
  });

/**
 * The schema of a threshold that cannot be a step (`every`). It is for values that rise and fall,
 * because they might never reach the next step.
 */
export const comparisonSchema = (name: string, cure: string) =>
  thresholdSchema(name, cure, ({ op }) => op !== "every");

/** The output of `whenSchema`: the configured thresholds by name. */
export type When = Readonly<Record<string, Threshold | undefined>>;

const CURE = `a comparison with a number (">= 1000", "< 50") or a step ("every 1000")`;
const HOW = `a comparison (\`">= 1000"\`) or a step (\`"every 1000"\`)`;

/**
 * Creates the schema of `when: { name: threshold }`. `numbers` has a text for each name, which says
 * what it counts. At least one threshold must be configured.
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

export const WHEN_TEXT = `Fires when any of them is crossed. A comparison re-arms when the value has moved back by 10%; a step fires at every multiple that is higher than any before.`;
