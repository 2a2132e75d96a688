/**
 * Checks the request for a silence. Reports all problems together, each with what to write instead.
 * Stores nothing.
 */
import {
  describeUnknownLabel,
  describeUnknownValue,
  type MatchableNames,
} from "../../config/check/matched-names.ts";
import type { Config } from "../../config/config.ts";
import { didYouMean } from "../../config/suggest.ts";
import { parseDuration } from "../../model/duration.ts";
import { ENRICH_LABEL } from "../../model/enrichment.ts";
import type { NewSilence } from "../../model/silence.ts";
import { type CompilePattern, parseMatcher } from "../../route/matcher.ts";
import type { Matcher } from "../../route/route.ts";
import type { SilenceRequest } from "../../server/schema/silence-view.ts";
import { WATCH_TYPES } from "../../watches/registry.ts";

const MAX_MS = 365 * 86_400_000;
const MAX_CHARACTERS = 500;

/** Returns a silence that begins now, or sentences about what is wrong with the request. */
export async function readSilenceRequest(
  request: SilenceRequest,
  config: Pick<Config, "watches" | "sinks">,
  nowMs: number,
): Promise<NewSilence | readonly string[]> {
  const texts = request.matchers.map((text) => text.trim());
  const problems = [
    ...(await matcherProblems(texts, matchableNames(config))),
    ...sinkProblems(request, config),
    ...textProblems(request),
  ];
  const durationMs = readDuration(request.duration);
  if (typeof durationMs === "string") return [...problems, durationMs];
  if (problems.length > 0) return problems;
  const [author, comment] = [request.author.trim(), request.comment.trim()];
  const { sinks = [] } = request;
  const times = { startsAtMs: nowMs, endsAtMs: nowMs + durationMs };
  return { matchers: texts, sinks: [...new Set(sinks)], ...times, author, comment };
}

function sinkProblems(
  { sinks = [] }: SilenceRequest,
  config: Pick<Config, "sinks">,
): readonly string[] {
  const known = config.sinks.map(({ name }) => name);
  return sinks
    .filter((sink) => !known.includes(sink))
    .map(
      (sink) =>
        `there is no sink "${sink.slice(0, 80)}"${didYouMean(sink, known) || `; known here: ${known.join(", ")}`}`,
    );
}

export const matchableNames = ({ watches }: Pick<Config, "watches">): MatchableNames => ({
  watchIds: watches.map(({ id }) => id),
  watchTypes: WATCH_TYPES.map(({ type }) => type),
  labels: watches.flatMap(({ labels, enrich }) => [
    ...Object.keys(labels),
    ...(enrich === undefined ? [] : [ENRICH_LABEL, ...enrich.labels]),
  ]),
});

/**
 * Parses each text to a matcher, or to a sentence about what is wrong with its syntax. The engine
 * for regular expressions is loaded only if a matcher needs it.
 */
export async function parseMatchers(
  texts: readonly string[],
): Promise<readonly (Matcher | string)[]> {
  const compile: CompilePattern = texts.some((text) => text.includes("~"))
    ? (await import("../../route/pattern.ts")).compilePattern
    : () => "no expression";
  return texts.map((text) => parseMatcher(text, compile));
}

async function matcherProblems(
  texts: readonly string[],
  names: MatchableNames,
): Promise<readonly string[]> {
  if (texts.length === 0)
    return [
      `name the alerts to silence with at least one matcher, like watch="${names.watchIds[0] ?? "brand"}"`,
    ];
  return (await parseMatchers(texts)).flatMap((matcher) => {
    if (typeof matcher === "string") return [matcher];
    return describeUnknownLabel(matcher.label, names) ?? describeUnknownValue(matcher, names) ?? [];
  });
}

function readDuration(text: string): number | string {
  const written = text.trim();
  if (written === "")
    return "the duration is missing: write how long to silence, like 30m, 2h or 3d";
  const durationMs = parseDuration(written);
  if (durationMs === undefined)
    return `the duration must be a time like 30m, 2h or 3d, not "${written.slice(0, 80)}"`;
  if (durationMs < 1_000)
    return `a silence of ${written} is too short to hold anything back: write a longer duration, like 30m, 2h or 3d`;
  return durationMs <= MAX_MS
    ? durationMs
    : `a silence may last 365d at most, not ${written.slice(0, 80)}: disable the watch instead`;
}

const textProblems = ({ comment, author }: SilenceRequest): readonly string[] => [
  ...(comment.trim() === ""
    ? ["the comment is missing: write why, for people who see the silence later"]
    : []),
  ...tooLong("comment", comment),
  ...tooLong("author", author),
];

const tooLong = (name: string, text: string): readonly string[] =>
  text.length > MAX_CHARACTERS
    ? [`the ${name} has ${text.length} characters: write at most ${MAX_CHARACTERS}`]
    : [];
