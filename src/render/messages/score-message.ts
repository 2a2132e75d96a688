/**
 * The message about a score that changed. It says whose score it is, in which direction it changed,
 * and its previous value.
 */
import type { Json } from "../../model/json.ts";
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import { authorOf, baseMessage, nameOf, type ReadContext } from "./event-message.ts";
import { opsAlertMessage } from "./ops-alert-message.ts";
import { formatDelta, formatExact } from "../text/numbers.ts";
import { beforeFacts, crossedMoves, crossedText, factBefore, joinWords } from "./value-moves.ts";
import { ownValue } from "../../model/own-value.ts";

/**
 * Reads from the event's body `user`; `score` and `previous`, each with `week_delta` and
 * `month_delta`; `crossed`, the names of the deltas that crossed their thresholds; and `present`,
 * the score itself, if it was requested.
 */
export function scoreMessage(
  event: OutboxEvent,
  { linksHost, locale }: ReadContext,
): NeutralMessage {
  const { user, score, previous, crossed, present } = event.event.body;
  if (user === undefined) return opsAlertMessage(event);
  const author = authorOf(user, linksHost);
  const moves = numbersOf(score).map(
    ({ name, value }) => `${formatDelta(value)} ${periodOf(name)}`,
  );
  const names = Array.isArray(crossed) ? crossed.map((name) => periodOf(String(name))) : [];
  return {
    ...baseMessage(event),
    title: `${nameOf(user)}: score ${moves.join(", ") || "changed"}`,
    author,
    body: crossedSentence(names),
    url: author.url,
    facts: [
      ...numbersOf(present).map(({ value }) => ({
        name: "Score now",
        value: formatExact(value, locale),
      })),
      ...factBefore(
        numbersOf(previous).map(({ name, value }) => `${formatDelta(value)} ${periodOf(name)}`),
      ),
    ],
  };
}

/**
 * Returns the message about a score that crossed a threshold itself, not by its change. Reads
 * `user`, `score.score` and `previous.score` from the event's body.
 */
export function scoreLevelMessage(event: OutboxEvent, { linksHost }: ReadContext): NeutralMessage {
  const { body } = event.event;
  const { user } = body;
  if (user === undefined) return opsAlertMessage(event);
  const author = authorOf(user, linksHost);
  const crossed = crossedMoves(body, "score", { score: "points" });
  return {
    ...baseMessage(event),
    title: `${nameOf(user)}: score ${crossedText(crossed) || "changed"}`,
    author,
    body: "",
    url: author.url,
    facts: beforeFacts(crossed),
  };
}

const PERIODS: Readonly<Record<string, string>> = {
  week_delta: "in a week",
  month_delta: "in a month",
};

const crossedSentence = (periods: readonly string[]): string => {
  if (periods.length === 0) return "";
  return periods.length === 1
    ? `The change ${joinWords(periods)} crossed its threshold.`
    : `The changes ${joinWords(periods)} crossed their thresholds.`;
};

const periodOf = (name: string): string => ownValue(PERIODS, name) ?? name;

function numbersOf(
  reading: Json | undefined,
): readonly { readonly name: string; readonly value: number }[] {
  if (reading === null || typeof reading !== "object" || Array.isArray(reading)) return [];
  return Object.entries(reading).flatMap(([name, value]) =>
    typeof value === "number" ? [{ name, value }] : [],
  );
}
