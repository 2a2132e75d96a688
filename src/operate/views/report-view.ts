/** Answers a request for a report: a configured one by name, or one about a single watch. */
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../model/clock.ts";
import type { ReportQuery, ReportView } from "../../model/report.ts";
import { buildReport, type ReportDeps, type ReportRequest } from "../reports/build-report.ts";

export interface ReportViewParts {
  readonly store: ReportDeps["store"];
  readonly config: Config;
  readonly clock: Clock;
}

/** Returns the report, or a sentence that says why there is none. */
export async function reportView(
  { store, config, clock }: ReportViewParts,
  query: ReportQuery,
): Promise<ReportView | string> {
  const request = requestOf(config, query, clock.now());
  if (typeof request === "string") return request;
  return buildReport(
    { store, linksHost: config.linksHost, retentionMs: config.state.retentionMs },
    request,
  );
}

function requestOf(
  { reports, watches }: Config,
  { name, watch, sinceMs }: ReportQuery,
  nowMs: number,
): ReportRequest | string {
  const times = { fromMs: sinceMs, toMs: nowMs, nowMs };
  if (watch !== undefined) {
    if (!watches.some(({ id }) => id === watch)) return `there is no watch "${watch}"`;
    return {
      name: null,
      title: watch,
      watches: [watch],
      by: ["lang"],
      top: 5,
      timezone: "UTC",
      ...times,
    };
  }
  const report = reports.find((one) => one.name === name);
  if (report !== undefined) return { ...report, ...times };
  const known =
    reports.length === 0
      ? "none is defined under `reports`"
      : `known here: ${reports.map((one) => one.name).join(", ")}`;
  return `there is no report "${name ?? ""}"; ${known}`;
}
