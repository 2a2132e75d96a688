/**
 * Checks enrichment: an event of a watch with `enrich` has only fields that the answer may set, or
 * says that there was no answer. It waits no longer than `max_hold`.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import type { Evidence } from "./evidence.ts";
import { epochsAt } from "./outbox.ts";

const MIN_MS = 60_000;
/** The longest `max_hold` that is drawn, plus the time of rounds and restarts. */
const LONGEST_MS = 15 * MIN_MS;

export function checkEnrichment({ played, epochs, isClockSet }: Evidence): readonly string[] {
  const waiting = new Set(played.left.unenriched);
  const isOver = played.scenario.mode === "liveness" && !isClockSet;
  return played.left.events.flatMap(
    ({ id, type, watch, watchType, subject, labels, body, detectedAtMs }) => {
      const what = `${type} ${subject} of ${watch}`;
      // An escalation has the labels of its alerts.
      if (watchType === "daemon") return [];
      const { mood, topic, other, severity, enrich } = labels;
      if (waiting.has(id))
        return isOver && detectedAtMs < played.endMs - LONGEST_MS
          ? [`${what} waits for its enrichment since ${detectedAtMs}`]
          : [];
      const possible = isClockSet ? epochs : epochsAt(epochs, detectedAtMs);
      const isAsked = possible.map(
        ({ rules }) =>
          watchType !== "daemon" &&
          !type.startsWith("volume.") &&
          rules.watches.get(watch)?.keys["enrich"] !== undefined,
      );
      // A watch that was renamed meanwhile has rules under one name only.
      const isKnown = possible.some(({ rules }) => rules.watches.has(watch));
      if (enrich === undefined && isAsked.length > 0 && isAsked.every(Boolean))
        return [`${what} was not enriched`];
      if (enrich !== undefined && isKnown && !isAsked.some(Boolean))
        return [`${what} was enriched, and nobody wanted it`];
      const score = (body["enrichment"] as JsonObject | undefined)?.["score"];
      const declared = possible.flatMap(({ rules }) => {
        const written = rules.watches.get(watch)?.keys["enrich"] as JsonObject | undefined;
        return written === undefined ? [] : [written["labels"] as readonly Json[]];
      });
      const isLabelled = (names: readonly Json[]): boolean =>
        mood === (names.includes("mood") ? "good" : undefined) &&
        topic === (names.includes("topic") ? "price" : undefined);
      const isWhole =
        enrich === "ok"
          ? (declared.length === 0 || declared.some(isLabelled)) && score === 3
          : mood === undefined && topic === undefined && score === undefined;
      const isStrange = other !== undefined || (watchType !== "daemon" && severity !== "info");
      return isWhole && !isStrange
        ? []
        : [
            `${what} has the labels ${JSON.stringify(labels)} and the score ${JSON.stringify(score)}`,
          ];
    },
  );
}
