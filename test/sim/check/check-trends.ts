/**
 * Checks that names of a ranked list are reported as they were: which entered the first ranks,
 * which left them, and which moved. See docs/watches.md, "trends".
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { TRENDS, WOEID } from "../draw/cast.ts";
import type { Evidence } from "./evidence.ts";
import { createNames } from "./expected.ts";
import {
  type Seen,
  seenBy,
  STALE_MS,
  valueAt,
  valuesWithin,
  type Watched,
  watchedOf,
} from "./timeline.ts";

export function checkTrends(evidence: Evidence): readonly string[] {
  if (evidence.isClockSet) return [];
  return watchedOf(evidence)
    .filter(({ rules }) => rules.type === "trends")
    .flatMap((watched) => TRENDS.flatMap((trend) => checkTrend(watched, trend, evidence)));
}

function checkTrend(watched: Watched, trend: string, evidence: Evidence): readonly string[] {
  const { played, epochs } = evidence;
  const { rules, settledMs, fromMs, isBound } = watched;
  const nameOf = createNames(epochs);
  const top = Number(rules.keys["top"] ?? 10);
  const moveBy = Number(rules.keys["move_by"] ?? 3);
  const kinds = (rules.keys["tell"] ?? ["entered"]) as readonly string[];
  const facts = played.world.facts.get(`trends ${WOEID}`) ?? [];
  const rankIn = (names: Json): number | undefined => {
    const at = (names as readonly string[]).indexOf(trend);
    return at >= 0 && at < top ? at + 1 : undefined;
  };
  const ranksWithin = (sinceMs: number, untilMs: number) =>
    valuesWithin(facts, sinceMs, untilMs).map(rankIn);
  const events = played.left.events.filter(
    ({ watch, watchType, body }) =>
      watchType !== "daemon" &&
      nameOf(watch) === watched.name &&
      (body["trend"] as JsonObject | undefined)?.["name"] === trend,
  );
  const what = `trends ${watched.name}: ${trend}`;
  const objections = events.flatMap(({ type, detectedAtMs, body }, n): readonly string[] => {
    const before = events[n - 1];
    const ranks = ranksWithin((before?.detectedAtMs ?? fromMs) - STALE_MS, detectedAtMs);
    const how = type.replace("trend.", "");
    if (!kinds.includes(how)) return [`${what} is reported as ${how}, and nobody asked for it`];
    if (how === "left")
      return ranks.includes(undefined) ? [] : [`${what} is reported as gone, and was there`];
    const rank = rankOf(body);
    if (!ranks.includes(rank)) return [`${what} is reported at rank ${rank}, and never was`];
    if (
      how === "moved" &&
      before !== undefined &&
      before.type !== "trend.left" &&
      !wasAbsent(ranks) &&
      Math.abs(rank - rankOf(before.body)) < moveBy
    )
      return [
        `${what} is reported at rank ${rank} after rank ${rankOf(before.body)}, which is less than ${moveBy}`,
      ];
    return how === "entered" && !ranks.includes(undefined)
      ? [`${what} is reported as new, and was there all the time`]
      : [];
  });
  const seenAs = (valueOf: (names: Json) => Json) =>
    seenBy(
      watched,
      facts.map(({ atMs, value }) => ({ atMs, value: valueOf(value) })),
      evidence,
    );
  const isReported = (how: string, { fromMs: sinceMs, byMs }: Pick<Seen, "fromMs" | "byMs">) =>
    events.some(
      ({ type, detectedAtMs }) =>
        type === `trend.${how}` && detectedAtMs > sinceMs && detectedAtMs <= byMs,
    );
  const presence = seenAs((names) => rankIn(names) !== undefined);
  for (const [n, now] of presence.entries()) {
    const how = now.value === true ? "entered" : "left";
    const before = presence.slice(0, n).findLast(({ value }) => value !== now.value);
    if (
      before === undefined ||
      !kinds.includes(how) ||
      isReported(how, { ...now, fromMs: before.fromMs })
    )
      continue;
    objections.push(
      `${what} ${now.value === true ? "came among" : "fell out of"} the first ${top}, and nobody was notified`,
    );
  }
  for (const { fromMs: sinceMs, byMs, value } of kinds.includes("moved")
    ? seenAs((names) => rankIn(names) ?? null)
    : []) {
    const last = events.filter(({ detectedAtMs }) => detectedAtMs <= byMs).at(-1);
    if (
      value === null ||
      last === undefined ||
      last.type === "trend.left" ||
      last.detectedAtMs > sinceMs
    )
      continue;
    if (
      Math.abs(Number(value) - rankOf(last.body)) >= moveBy &&
      !wasAbsent(ranksWithin(last.detectedAtMs - STALE_MS, byMs))
    )
      objections.push(
        `${what} moved from rank ${rankOf(last.body)} to ${Number(value)}, and nobody was notified`,
      );
  }
  if (!kinds.includes("entered")) return objections;
  if (!isBound || valuesWithin(facts, fromMs - STALE_MS, settledMs).length > 1) return objections;
  const isNew =
    rankIn(valueAt(facts, settledMs)) === undefined &&
    rankIn(valueAt(facts, played.endMs)) !== undefined;
  return isNew && events.length === 0
    ? [...objections, `${what} came among the first ${top}, and nobody was notified`]
    : objections;
}

const rankOf = (body: JsonObject): number => (body["trend"] as JsonObject)["rank"] as number;

/**
 * Returns whether the name was absent meanwhile. A name that left and came back may have another
 * rank without an alert, unless its return is reported.
 */
const wasAbsent = (ranks: readonly (number | undefined)[]): boolean => ranks.includes(undefined);
