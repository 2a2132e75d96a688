/**
 * Sends each configured report once for every time of its schedule. The state stores until when
 * each report was sent. The id of a report's event depends on the end of its period, so that a
 * report that is created twice is only sent once.
 */
import { repeat } from "../../engine/health/repeat.ts";
import type { Config } from "../../config/config.ts";
import { type Cancel, type Clock, isoTime } from "../../model/clock.ts";
import type { DigestPeriod } from "../../model/digest.ts";
import { errorText } from "../../model/errors.ts";
import { type ChirpEvent, eventId } from "../../model/event.ts";
import type { Hash } from "../../model/hash.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Log } from "../../model/log.ts";
import type { PollStore } from "../../model/poll-store.ts";
import { type ReportConfig, reportJson, type ReportView } from "../../model/report.ts";
import { ownValue } from "../../model/own-value.ts";
import type { Notes } from "../../model/store.ts";
import { REPORT_EVENT } from "../../render/report-message.ts";
import { lastTimeBefore } from "../../schedule/misfire.ts";
import { reportTitle } from "../../render/report-text.ts";
import { buildReport, type ReportDeps } from "./build-report.ts";

export interface ScheduledReportsDeps {
  readonly store: ReportDeps["store"] & Notes & Pick<PollStore, "commitPoll">;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly log: Log;
  readonly config: () => Config;
  /** Called after a report was committed. */
  wakeDelivery(): void;
}

const CHECK_EVERY_MS = 15_000;
const FIRST_AFTER_MS = 5_000;
/**
 * How long a report waits after its scheduled time. A poll that found something just before that
 * time may be committed a little later.
 */
const GRACE_MS = 5_000;

/** Starts the timer that sends reports. Returns a function that stops it. */
export function startReports(deps: ScheduledReportsDeps): Cancel {
  const { clock, log, config } = deps;
  return repeat({
    clock,
    firstAfterMs: FIRST_AFTER_MS,
    everyMs: CHECK_EVERY_MS,
    work: async () => {
      await forgetRemoved(deps);
      for (const report of config().reports)
        await sendDue(deps, report).catch((error: unknown) =>
          log.error("a report could not be created", {
            report: report.name,
            error: errorText(error),
          }),
        );
    },
    onError: (error) => log.error("a report could not be created", { error: errorText(error) }),
  });
}

async function sendDue(deps: ScheduledReportsDeps, report: ReportConfig): Promise<void> {
  const { store, clock, log } = deps;
  const nowMs = clock.now();
  const stored = ownValue(await readSent(store), report.name) ?? null;
  const period = begunPeriod(stored) ?? duePeriod(report, stored, nowMs);
  if (period === "begin") return writeSent(deps, report, nowMs);
  if (period === undefined) return;
  const { fromMs, toMs } = period;
  // The period is stored before the report is built. After a crash between the commit and the next
  // `writeSent`, the report of the same period is built again; its event has the same id and is
  // stored once.
  await writeSent(deps, report, [fromMs, toMs]);
  const { linksHost, state } = deps.config();
  const view = await buildReport(
    { store, linksHost, retentionMs: state.retentionMs },
    { ...report, fromMs, toMs, nowMs },
  );
  const event = eventOf(deps, report, view, { toMs, nowMs });
  const place = { groupKey: event.id, groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: nowMs };
  const deliveries = report.sinks.map((sink) => ({ ...place, eventId: event.id, sink }));
  await store.commitPoll({ atMs: nowMs, targets: [], verdicts: [], events: [event], deliveries });
  await writeSent(deps, report, toMs);
  log.info("report created", { report: report.name, from: isoTime(fromMs), to: isoTime(toMs) });
  deps.wakeDelivery();
}

/**
 * The name of the stored value that contains, by report name, until when each report was sent.
 * While a report is being created, its entry is the report's period.
 */
const NOTE = "reports_sent";

async function readSent(store: Notes): Promise<JsonObject> {
  return ((await store.readNote(NOTE)) ?? {}) as JsonObject;
}

async function writeSent(
  { store }: ScheduledReportsDeps,
  { name }: ReportConfig,
  value: Json,
): Promise<void> {
  await store.writeNote(NOTE, { ...(await readSent(store)), [name]: value });
}

/**
 * Forgets the reports that are no longer configured. If a report is configured again later, it
 * begins as a new one and does not cover the time between.
 */
async function forgetRemoved({ store, config }: ScheduledReportsDeps): Promise<void> {
  const names = new Set(config().reports.map(({ name }) => name));
  const sent = Object.entries(await readSent(store));
  const kept = sent.filter(([name]) => names.has(name));
  if (kept.length < sent.length) await store.writeNote(NOTE, Object.fromEntries(kept));
}

/**
 * Returns the period of a report whose creation has begun, and that may not have been sent yet;
 * undefined if there is none.
 */
const begunPeriod = (stored: Json | null): DigestPeriod | undefined =>
  Array.isArray(stored) ? { fromMs: Number(stored[0]), toMs: Number(stored[1]) } : undefined;

/**
 * Returns the period of a report that is due, "begin" if its first period has not begun, and
 * undefined if the report is not due.
 */
function duePeriod(
  report: ReportConfig,
  lastMs: Json | null,
  nowMs: number,
): DigestPeriod | "begin" | undefined {
  // A stored time in the future was written before the clock was set back. The period then starts
  // now.
  if (typeof lastMs !== "number" || lastMs > nowMs) return "begin";
  const dueMs = report.nextAtMs(lastMs);
  return dueMs + GRACE_MS > nowMs
    ? undefined
    : { fromMs: lastMs, toMs: lastTimeBefore(report.nextAtMs, dueMs, nowMs - GRACE_MS) };
}

interface Times {
  readonly toMs: number;
  readonly nowMs: number;
}

/**
 * Creates the event of a report. A report of the same period has the same id, so it is stored once
 * even if it is committed twice.
 */
const eventOf = (
  { hash }: ScheduledReportsDeps,
  { name }: ReportConfig,
  report: ReportView,
  { toMs, nowMs }: Times,
): ChirpEvent => ({
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
