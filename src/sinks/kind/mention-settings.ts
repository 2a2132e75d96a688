/**
 * The settings of mentions, for all sinks that can mention people: for which events, and how often.
 * `config/` compiles the conditions. Each sink type decides who can be mentioned.
 */
import { z } from "zod";
import { parseDuration } from "../../model/duration.ts";
import type { SinkMention } from "../../model/sink.ts";
import type { Matches, MatchesOf, WrittenCondition } from "./sink-type.ts";

const MAX_INTERVAL_MS = 30 * 86_400_000;

const isInterval = (text: string): boolean => {
  const ms = parseDuration(text);
  return ms !== undefined && ms >= 1_000 && ms <= MAX_INTERVAL_MS;
};

/** The keys that every mention has. */
export const mentionTiming = {
  when: z
    .string()
    .optional()
    .describe("Condition on the event, written like `where`. Default: every event."),
  min_interval: z
    .string()
    .refine(isInterval, "must be a duration from 1s to 30d, like 10m")
    .optional()
    .describe("Minimum time between two mentions. Alerts in between are sent without one."),
};

export interface WrittenMention {
  readonly when?: string | undefined;
  readonly min_interval?: string | undefined;
  /** The compiled `when`. If `when` is set and this is absent, the mention is never made. */
  readonly matches?: Matches;
}

export const mentionOf = (
  text: string,
  { when, min_interval: interval = "", matches }: WrittenMention,
): SinkMention => ({
  text,
  minIntervalMs: parseDuration(interval) ?? 0,
  matches: when === undefined ? () => true : (body, labels) => matches?.(body, labels) === true,
});

/**
 * Returns the conditions of mentions. Each mention is given with its path inside the sink's
 * settings.
 */
export const mentionConditions = (
  mentions: readonly (readonly [WrittenCondition["path"], WrittenMention])[],
): readonly WrittenCondition[] =>
  mentions.flatMap(([path, { when }]) =>
    when === undefined ? [] : [{ path: [...path, "when"], text: when }],
  );

/** Returns a setting with a `when`, such as a mention, together with its compiled condition. */
export function withCondition<M extends Pick<WrittenMention, "when" | "matches">>(
  mention: M,
  matchesOf: MatchesOf,
): M {
  const matches = matchesOf(mention.when);
  return matches === undefined ? mention : { ...mention, matches };
}
