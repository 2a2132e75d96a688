/** Formats the lines of `tail`: the time, what happened, and to which watch or sink. */
import { cleanLine } from "../../render/text/clean-text.ts";
import type { TailDelivery, TailEvent, TailLine } from "../../server/schema/tail-view.ts";
import { plural } from "../terminal/table.ts";

const WHAT_WIDTH = 8;

export const formatTailLine = (line: TailLine): string =>
  line.kind === "event" ? formatEvent(line) : formatDelivery(line);

const formatEvent = ({ at, watch, type, title, url, sinks }: TailEvent): string =>
  [
    head(at, "event"),
    watch === "" ? type : watch,
    cleanLine(title),
    cleanLine(url ?? ""),
    sinks.length === 0 ? "(no sink)" : `-> ${sinks.join(", ")}`,
  ]
    .filter((part) => part !== "")
    .join("  ");

function formatDelivery({
  at,
  sink,
  outcome,
  error,
  message_id: message,
  next_attempt_at: next,
  alerts,
}: TailDelivery): string {
  const watches = [...new Set(alerts.map(({ watch }) => watch))].filter((watch) => watch !== "");
  const what = [
    plural(alerts.length, "alert"),
    watches.length === 0 ? "" : `of ${watches.join(", ")}`,
    `message ${message}`,
  ];
  const why = error === "" ? [] : [cleanLine(error)];
  const later = next === null ? [] : [`next attempt ${time(next)}`];
  return [
    head(at, WORDS[outcome]),
    sink,
    [...what.filter((part) => part !== ""), ...why, ...later].join(", "),
  ].join("  ");
}

const WORDS = { sent: "sent", retry: "failed", dead: "given up" } as const;

const head = (at: string, what: string): string => `${time(at)}  ${what.padEnd(WHAT_WIDTH)}`;

const time = (iso: string): string => iso.slice(11, 19);
