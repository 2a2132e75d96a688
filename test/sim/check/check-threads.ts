/**
 * Checks threads: a message below another one has the same conversation, group or watch and comes
 * within the time window. A message that has the same must be below it.
 */
import type { LeftMessage } from "../run/read-state.ts";
import { isFollowUp } from "./check-follow-ups.ts";
import { holding } from "./check-silences.ts";
import type { Evidence } from "./evidence.ts";
import type { Alert } from "./outbox.ts";
import type { SinkRules } from "./rules.ts";

const WINDOWS: Readonly<Record<string, number>> = {
  "5m": 300_000,
  "1h": 3_600_000,
  "24h": 86_400_000,
};

export function checkThread(
  message: LeftMessage,
  alerts: readonly Alert[],
  sink: SinkRules,
  evidence: Evidence,
): readonly string[] {
  const { outbox, isClockSet, played } = evidence;
  // A follow-up goes where its alert is: check-follow-ups.ts checks those.
  if (alerts.length > 0 && alerts.every(({ event }) => isFollowUp(event))) return [];
  const by = sink.keys["thread_by"] as string | undefined;
  if (isOfSnooze(message, evidence)) return [];
  if (by === undefined)
    return message.parentId === null
      ? []
      : [`${sink.name}: message ${message.id} stands below another, without threads`];
  const windowMs = WINDOWS[(sink.keys["thread_window"] as string | undefined) ?? "24h"] ?? 0;
  const name = nameOf(by, message, alerts);
  const nameOfOther = (other: LeftMessage) => nameOf(by, other, outbox.members.get(other.id) ?? []);
  const parent = outbox.messages.get(message.parentId ?? "");
  if (parent !== undefined) {
    // A renamed watch continues in its thread.
    if (by !== "watch" && nameOfOther(parent) !== name)
      return [`${sink.name}: message ${message.id} stands in the thread of something else`];
    const isLate = !isClockSet && message.sealedAtMs - parent.sealedAtMs >= windowMs;
    return isLate
      ? [`${sink.name}: message ${message.id} stands in a thread whose window is over`]
      : [];
  }
  // The message may have been given up, and sent again in the channel.
  if (name === "" || isClockSet || played.scenario.steps.some((step) => step.do === "sink trouble"))
    return [];
  const earlier = [...outbox.messages.values()].find(
    (other) =>
      other.sink === message.sink &&
      other.parentId === null &&
      other.sealedAtMs < message.sealedAtMs &&
      message.sealedAtMs - other.sealedAtMs < windowMs &&
      nameOfOther(other) === name,
  );
  return earlier === undefined
    ? []
    : [`${sink.name}: message ${message.id} stands outside the thread of ${earlier.id}`];
}

/** Ops alerts and escalations are of no watch. An escalation has the conversation of its alert. */
const isNameless = (by: string, { watchType, type }: Alert["event"]): boolean =>
  watchType === "daemon" && (by === "watch" || type !== "alert.escalated");

/** Returns what a thread has in common. Empty: the message is in no thread. */
function nameOf(by: string, { groupKey }: LeftMessage, alerts: readonly Alert[]): string {
  if (groupKey.startsWith("digest\n") || alerts.some(({ event }) => isNameless(by, event)))
    return "";
  if (by === "group") return alerts.some(({ event }) => event.id === groupKey) ? "" : groupKey;
  const names = new Set(
    alerts.map(({ event }) =>
      by === "watch" ? event.watch : (event.labels["conversation"] ?? ""),
    ),
  );
  const [name = ""] = names;
  return names.size === 1 ? name : "";
}

/**
 * Whether the message is the digest of a snooze. It stands below the message on which somebody
 * snoozed.
 */
function isOfSnooze(
  { groupKey, parentId }: LeftMessage,
  { outbox, played }: Pick<Evidence, "outbox" | "played">,
): boolean {
  const id = /^digest\nsnooze\n(\d+)/.exec(groupKey)?.[1];
  const above = outbox.members.get(parentId ?? "") ?? [];
  return (
    id !== undefined &&
    above.some((alert) => holding("snooze", played, alert).some((one) => one.id === id))
  );
}
