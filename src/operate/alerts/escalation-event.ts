/**
 * Creates the event that says that nobody acknowledged alerts in time, or that their sink does not
 * take them. Commits nothing.
 */
import type { Config } from "../../config/config.ts";
import { type DueEscalation, ESCALATED_EVENT, type PlannedStep } from "../../model/escalation.ts";
import { type ChirpEvent, eventId } from "../../model/event.ts";
import type { Hash } from "../../model/hash.ts";
import type { JsonObject } from "../../model/json.ts";
import { cleanLine } from "../../render/text/clean-text.ts";
import { commonLabels, reasonOf } from "../../route/escalate.ts";
import { createReader } from "../create-reader.ts";
import { sinkTypeOf } from "./create-sink.ts";

export interface EscalationEventDeps {
  readonly config: Pick<Config, "sinks" | "linksHost">;
  readonly hash: Hash;
  readonly nowMs: number;
}

/** At most this many alerts of one escalation are listed. The others are counted. */
const MAX_LISTED = 10;

/** The alerts are in one message and fall due together. The id comes from the first of them. */
export function escalationEvent(
  alerts: readonly DueEscalation[],
  step: PlannedStep,
  { config, hash, nowMs }: EscalationEventDeps,
): ChirpEvent {
  const [first] = alerts;
  if (first === undefined) throw new Error("an escalation has at least one alert");
  const { event, sink, message } = first;
  const read = createReader(config.linksHost);
  const read1 = (alert: ChirpEvent) => read({ event: alert, watches: [alert.watch] });
  const only = alerts.length === 1 ? read1(event) : undefined;
  const url = linkTo(config, first) ?? only?.url;
  const what = only === undefined ? `${alerts.length} alerts` : cleanLine(only.title);
  const lines = alerts.slice(0, MAX_LISTED).map((one) => cleanLine(read1(one.event).title));
  const more = alerts.length - lines.length;
  const text = only === undefined || first.isGone ? "" : only.body;
  const hint = only === undefined ? [...lines, ...(more > 0 ? [`and ${more} more`] : [])] : [text];
  const identity = {
    type: ESCALATED_EVENT,
    subject: event.id,
    episode: `${step.sink} ${step.nth}`,
  };
  const body: JsonObject = {
    ...(only === undefined || first.isGone ? {} : (event.body as JsonObject)),
    message: `${sentenceOf(first, nowMs)}: ${what}`,
    ...(hint.join("\n") === "" ? {} : { hint: hint.join("\n") }),
    ...(url === undefined ? {} : { url }),
    alerts: alerts.map((one) => ({
      ...{ id: one.event.id, type: one.event.type, subject: one.event.subject },
    })),
    escalation: {
      ...{ reason: reasonOf(first), sink, to: step.sink, step: step.nth, after_ms: step.afterMs },
      message_id: message?.id ?? null,
    },
  };
  return {
    id: eventId(hash, "", identity),
    type: ESCALATED_EVENT,
    ...{ watchKey: "", watch: event.watch, watchType: "daemon", subject: event.id },
    labels: { ...commonLabels(alerts.map((one) => one.event)), event: ESCALATED_EVENT },
    body,
    ...{ occurredAtMs: nowMs, detectedAtMs: nowMs },
  };
}

/** Says why the alerts are escalated: "Not acknowledged for 15 minutes". */
function sentenceOf(due: DueEscalation, nowMs: number): string {
  const forText = elapsedText(nowMs - due.begunAtMs);
  const error = due.message?.error ?? "";
  const because = error === "" ? "" : ` (${cleanLine(error)})`;
  switch (reasonOf(due)) {
    case "unacknowledged":
      return `Not acknowledged for ${forText}`;
    case "failing":
      return `Not taken by ${due.sink} for ${forText}${because}`;
    case "dead":
      return `Given up for ${due.sink}${because}`;
  }
}

/** Returns a duration in words, rounded to what people need: `15 minutes`, `1 hour 20 minutes`. */
function elapsedText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  if (seconds < 60) return count(seconds, "second");
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return count(minutes, "minute");
  const [hours, left] = [Math.floor(minutes / 60), minutes % 60];
  if (hours >= 48) return count(Math.round(hours / 24), "day");
  return left === 0 ? count(hours, "hour") : `${count(hours, "hour")} ${count(left, "minute")}`;
}

const count = (number: number, unit: string): string =>
  `${number} ${unit}${number === 1 ? "" : "s"}`;

/** Returns the link to the first message with the alert, if its sink gives one. */
function linkTo({ sinks }: Pick<Config, "sinks">, due: DueEscalation): string | undefined {
  const config = sinks.find(({ name }) => name === due.sink);
  const { ref = null, channel = null } = due.message ?? {};
  return config === undefined || ref === null
    ? undefined
    : sinkTypeOf(config).linkTo?.(config.settings, ref, channel ?? undefined);
}
