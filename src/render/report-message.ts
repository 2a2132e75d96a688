/** Turns a report into a message: the figures become its body, the top posts its list. */
import type { NeutralMessage } from "../model/message.ts";
import type { ReportView } from "../model/report.ts";
import type { OutboxEvent } from "../model/sink.ts";
import { baseMessage } from "./messages/event-message.ts";
import { reportFigures, reportPosts, reportTitle } from "./report-text.ts";

export const REPORT_EVENT = "report.created";

export const isReport = ({ event }: OutboxEvent): boolean =>
  event.type === REPORT_EVENT && event.body["report"] !== undefined;

/** Returns the message of a report event, whose `body.report` holds the report. */
export function reportMessage(event: OutboxEvent): NeutralMessage {
  const report = event.event.body["report"] as unknown as ReportView;
  const lines = reportFigures(report);
  const list = reportPosts(report);
  return {
    ...baseMessage(event),
    title: reportTitle(report),
    body: lines.length === 0 ? "Nothing was found." : lines.join("\n"),
    ...(list.people.length === 0 ? {} : { list }),
    watches: [],
    // The title names the period, whose end is the time.
    isTimed: false,
  };
}
