/**
 * Checks that a report goes out once for each time of its schedule. Each report begins where the
 * previous one ended, goes to the sinks of its configuration, and counts the alerts found in its
 * period.
 */
import type { JsonObject } from "../../../src/model/json.ts";
import type { LeftEvent } from "../run/read-state.ts";
import type { Evidence } from "./evidence.ts";
import { downs, isBroken } from "./lives.ts";
import { groupBy } from "./outbox.ts";
import { textOf } from "./rules.ts";

const MIN_MS = 60_000;
/** A poll may be committed this long after the time at which it found something. */
const COMMITTED_WITHIN_MS = MIN_MS;

interface Report {
  readonly event: LeftEvent;
  readonly fromMs: number;
  readonly toMs: number;
  readonly watches: readonly { readonly watch: string; readonly alerts: number }[];
}

export function checkReports(evidence: Evidence): readonly string[] {
  const events = evidence.played.left.events.filter(({ type }) => type === "report.created");
  const byName = groupBy(events.map(reportOf), ({ event }) => event.subject);
  return [...byName].flatMap(([name, reports]) => [
    ...reports.flatMap((report, n) => checkReport(report, reports[n - 1], evidence)),
    ...checkLast(name, reports, evidence),
  ]);
}

function reportOf(event: LeftEvent): Report {
  const { from, to, watches } = event.body["report"] as JsonObject;
  return {
    event,
    fromMs: Date.parse(textOf(from)),
    toMs: Date.parse(textOf(to)),
    watches: (watches as readonly JsonObject[]).map(({ watch, alerted }) => ({
      watch: textOf(watch),
      alerts: Number((alerted as JsonObject)["count"]),
    })),
  };
}

function checkReport(
  report: Report,
  before: Report | undefined,
  { played, epochs, isClockSet }: Evidence,
): readonly string[] {
  const { event, fromMs, toMs } = report;
  const what = `the report ${event.subject} up to ${new Date(toMs).toISOString()}`;
  const written = epochs.flatMap(({ rules }) => rules.reports.get(event.subject) ?? []);
  const sinks = played.left.deliveries
    .filter(({ eventId }) => eventId === event.id)
    .map(({ sink }) => sink)
    .sort()
    .join();
  const counts = isClockSet ? [] : checkCounts(what, report, played);
  return [
    ...(before === undefined || isClockSet || fromMs === before.toMs
      ? []
      : [`${what} begins at another time than the one before ended`]),
    ...(written.some(({ everyMs }) => toMs % everyMs === 0) ? [] : [`${what} has no such time`]),
    ...(written.some((one) => [...one.sinks].sort().join() === sinks)
      ? []
      : [`${what} goes to ${sinks || "nobody"}`]),
    ...counts,
  ];
}

function checkCounts(
  what: string,
  { event, fromMs, toMs, watches }: Report,
  played: Evidence["played"],
): readonly string[] {
  const found = (watch: string, untilMs: number) =>
    played.left.events.filter(
      (one) =>
        one.watchType !== "daemon" &&
        one.watch === watch &&
        one.detectedAtMs >= fromMs &&
        one.detectedAtMs < untilMs,
    ).length;
  // A stalled replica commits what it found only when it continues.
  const isLate = isBroken(played, fromMs - COMMITTED_WITHIN_MS, event.detectedAtMs);
  return watches.flatMap(({ watch, alerts }) => {
    const most = found(watch, toMs);
    const least = isLate ? 0 : found(watch, toMs - COMMITTED_WITHIN_MS);
    return alerts <= most && alerts >= least
      ? []
      : [`${what} counts ${alerts} alerts of ${watch} instead of ${most}`];
  });
}

/** Checks that the last due report exists, if the daemon had time to make it. */
function checkLast(
  name: string,
  reports: readonly Report[],
  { played, finalRules, isClockSet }: Evidence,
): readonly string[] {
  const everyMs = finalRules.reports.get(name)?.everyMs;
  const last = reports.at(-1);
  if (everyMs === undefined || last === undefined || isClockSet) return [];
  if (played.scenario.mode !== "liveness") return [];
  const dueMs = last.toMs + everyMs;
  const isDown = downs(played).some(({ toMs }) => toMs > played.endMs - 2 * MIN_MS);
  return isDown || dueMs > played.endMs - 2 * MIN_MS
    ? []
    : [`the report ${name} of ${new Date(dueMs).toISOString()} was never made`];
}
