/** Names of a ranked list are reported as they stood: what came among the first ranks, what fell out of them, what moved. See docs/watches.md, "trends". */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { TRENDS, WOEID } from "../draw/cast.ts";
import type { Evidence } from "./evidence.ts";
import { createNames } from "./expected.ts";
import { seenBy, STALE_MS, valueAt, valuesWithin, type Watched, watchedOf } from "./timeline.ts";

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
  const kinds = (rules.keys["tell"] ?? ["entered"]) as readonly string[];
  const facts = played.world.facts.get(`trends ${WOEID}`) ?? [];
  const rankIn = (names: Json): number | undefined => {
    const at = (names as readonly string[]).indexOf(trend);
    return at >= 0 && at < top ? at + 1 : undefined;
  };
  const ranksWithin = (sinceMs: number, untilMs: number) => valuesWithin(facts, sinceMs, untilMs).map(rankIn);
  const events = played.left.events.filter(
    ({ watch, body }) => nameOf(watch) === watched.name && (body["trend"] as JsonObject | undefined)?.["name"] === trend,
  );
  const what = `trends ${watched.name}: ${trend}`;
  const objections = events.flatMap(({ type, detectedAtMs, body }, n): readonly string[] => {
    const before = events[n - 1];
    const ranks = ranksWithin((before?.detectedAtMs ?? fromMs) - STALE_MS, detectedAtMs);
    const how = type.replace("trend.", "");
    if (!kinds.includes(how)) return [`${what} is reported as ${how}, and nobody asked for it`];
    if (how === "left") return ranks.includes(undefined) ? [] : [`${what} is reported as gone, and was there`];
    const rank = (body["trend"] as JsonObject)["rank"] as number;
    if (!ranks.includes(rank)) return [`${what} is reported at rank ${rank}, and never was`];
    return how === "entered" && !ranks.includes(undefined) ? [`${what} is reported as new, and was there all the time`] : [];
  });
  if (!kinds.includes("entered")) return objections;
  const seen = seenBy(
    watched,
    facts.map(({ atMs, value }) => ({ atMs, value: rankIn(value) !== undefined })),
    evidence,
  );
  for (const { fromMs: cameMs, byMs } of seen.filter(({ value }) => value === true)) {
    const goneMs = seen.filter((one) => one.value === false && one.fromMs < cameMs).at(-1)?.fromMs;
    const isReported = events.some(
      ({ type, detectedAtMs }) => type === "trend.entered" && detectedAtMs > (goneMs ?? 0) && detectedAtMs <= byMs,
    );
    if (goneMs !== undefined && !isReported) objections.push(`${what} came among the first ${top}, and nobody was notified`);
  }
  if (!isBound || valuesWithin(facts, fromMs - STALE_MS, settledMs).length > 1) return objections;
  const isNew = rankIn(valueAt(facts, settledMs)) === undefined && rankIn(valueAt(facts, played.endMs)) !== undefined;
  return isNew && events.length === 0 ? [...objections, `${what} came among the first ${top}, and nobody was notified`] : objections;
}
