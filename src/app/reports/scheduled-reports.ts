/** Sends the configured reports: each once for every time of its schedule. What one is about is stored, and its event has an id of its time. */
import { repeat } from "../../engine/health/repeat.ts";
import type { Config } from "../../config/config.ts";
import { type Cancel, type Clock, isoTime } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import { type ChirpEvent, eventId } from "../../model/event.ts";
import type { Hash } from "../../model/hash.ts";
import type { Log } from "../../model/log.ts";
import type { PollStore } from "../../model/poll-store.ts";
import { type ReportConfig, reportJson, type ReportView } from "../../model/report.ts";
import type { Notes } from "../../model/store.ts";
import { REPORT_EVENT } from "../../render/report-message.ts";
import { reportTitle } from "../../render/report-text.ts";
import { buildReport, type ReportDeps } from "../../operate/reports/build-report.ts";

export interface ScheduledReportsDeps {
  readonly store: ReportDeps["store"] & Notes & Pick<PollStore, "commitPoll">;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly log: Log;
  /** The active one. */
  readonly config: () => Config;
  /** Something was committed. */
  wakeDelivery(): void;
}

const CHECK_EVERY_MS = 15_000;
const FIRST_AFTER_MS = 5_000;
/** Times that were missed are skipped one by one, but no more of them. */
const MAX_SKIPPED = 1_000;

/** Returns what ends it. */
export function startReports(deps: ScheduledReportsDeps): Cancel {
  const { clock, log, config } = deps;
  return repeat({
    clock,
    firstAfterMs: FIRST_AFTER_MS,
    everyMs: CHECK_EVERY_MS,
    work: async () => {
      for (const report of config().reports) await sendDue(deps, report);
    },
    onError: (error) => log.error("a report could not be made", { error: errorText(error) }),
  });
}

async function sendDue(deps: ScheduledReportsDeps, report: ReportConfig): Promise<void> {
  const { store, clock, log } = deps;
  const note = `report_sent\n${report.name}`;
  const nowMs = clock.now();
  const lastMs = await store.readNote(note);
  // A clock that was set back begins anew.
  if (typeof lastMs !== "number" || lastMs > nowMs) return store.writeNote(note, nowMs);
  const dueMs = report.nextAtMs(lastMs);
  if (dueMs > nowMs) return;
  const toMs = lastTimeBefore(report, dueMs, nowMs);
  const { linksHost, state } = deps.config();
  const view = await buildReport({ store, linksHost, retentionMs: state.retentionMs }, { ...report, fromMs: lastMs, toMs, nowMs });
  const event = eventOf(deps, report, view, { toMs, nowMs });
  const place = { groupKey: event.id, groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: nowMs };
  const deliveries = report.sinks.map((sink) => ({ ...place, eventId: event.id, sink }));
  await store.commitPoll({ atMs: nowMs, targets: [], verdicts: [], events: [event], deliveries });
  await store.writeNote(note, toMs);
  log.info("report created", { report: report.name, from: isoTime(lastMs), to: isoTime(toMs) });
  deps.wakeDelivery();
}

/** A report that was missed is made once, for all the time. */
function lastTimeBefore(report: ReportConfig, firstMs: number, nowMs: number): number {
  let lastMs = firstMs;
  for (let skipped = 0, nextMs = report.nextAtMs(lastMs); nextMs <= nowMs; nextMs = report.nextAtMs(lastMs), skipped += 1)
    lastMs = skipped < MAX_SKIPPED ? nextMs : nowMs;
  return lastMs;
}

interface Times {
  readonly toMs: number;
  readonly nowMs: number;
}

/** Committed twice it is one event, by its id. */
const eventOf = ({ hash }: ScheduledReportsDeps, { name }: ReportConfig, report: ReportView, { toMs, nowMs }: Times): ChirpEvent => ({
  id: eventId(hash, "", { type: REPORT_EVENT, subject: name, episode: String(toMs) }),
  type: REPORT_EVENT,
  watchKey: "",
  watch: "",
  watchType: "daemon",
  subject: name,
  labels: { watch: "", type: "daemon", event: REPORT_EVENT, target: name, severity: "info" },
  body: { message: reportTitle(report), report: reportJson(report) },
  occurredAtMs: nowMs,
  detectedAtMs: nowMs,
});
