/**
 * The texts that the demo prints. They have no colours under NO_COLOR, or if the output is neither
 * a terminal nor that of a CI job.
 */
import colors from "picocolors";
import { formatDuration } from "../../model/duration.ts";
import type { ReportView } from "../../model/report.ts";
import type { Watch } from "../../model/watch.ts";
import { reportLines, reportTitle } from "../../render/report-text.ts";
import type { DemoCounts, NotedWatch, PastCounts } from "./demo-counts.ts";
import { DEMO_DIGEST_MS, DEMO_INTERVALS_MS } from "./demo-config.ts";

const MARGIN = "  ";
const INDENT = "     ";

export interface DemoIntro {
  readonly configFile: string;
  readonly watches: readonly Watch[];
  readonly sinks: number;
  readonly statePath: string;
  readonly statusUrl: string;
  /** The password of the status page. Set if the page can be reached from other machines. */
  readonly token?: string | undefined;
  readonly serviceUrl: string;
}

/** Returns the introduction, which lists everything that the demo replaced in the configuration. */
export function introText(scene: DemoIntro): string {
  const names = scene.watches.map(({ id }) => id).join(", ");
  const rows = [
    ["watches", `${scene.watches.length} of ${scene.configFile}: ${names}`],
    [
      "schedules",
      `replaced: ${schedulesText(scene.watches)}, digests every ${formatDuration(DEMO_DIGEST_MS)}`,
    ],
    [
      "sinks",
      `replaced: ${scene.sinks === 1 ? "the only sink" : `all ${scene.sinks} sinks`} by this console`,
    ],
    ["state", `replaced: ${scene.statePath}, removed at the end`],
    ["service", `the bundled sandbox on a free port, ${scene.serviceUrl}`],
    ["status page", statusText(scene)],
  ] as const;
  return [
    "",
    `${MARGIN}${colors.bold("chirpwatch demo")}  ${colors.dim("the whole daemon on an invented world: no key, no network, no real alerts")}`,
    "",
    ...rows.map(([name, text]) => `${INDENT}${colors.dim(name.padEnd(12))} ${text}`),
  ].join("\n");
}

const statusText = ({ statusUrl, token }: DemoIntro): string =>
  token === undefined
    ? `on a free port, ${colors.underline(statusUrl)}`
    : `${colors.underline(statusUrl)} (any user name, password "${token}")`;

function schedulesText(watches: readonly Watch[]): string {
  const used = [...new Set(watches.map(({ priority }) => priority))].sort(
    (a, b) => DEMO_INTERVALS_MS[a] - DEMO_INTERVALS_MS[b],
  );
  return used
    .map((priority) => `${priority} priority every ${formatDuration(DEMO_INTERVALS_MS[priority])}`)
    .join(", ");
}

export const pastWaitText = (days: number): string =>
  `\n${INDENT}${colors.dim(`First the daemon runs through ${days} simulated days, in a few seconds.`)}`;

/**
 * Returns what the simulated days before the demo brought, as numbers: alerts of each watch, polls,
 * requests and messages.
 */
export function pastText(past: PastCounts, days: number, watches: readonly Watch[]): string {
  const width = Math.max(...watches.map(({ id }) => id.length));
  const lines = watches.map(
    ({ id, type }) =>
      `${INDENT}${id.padEnd(width)}  ${colors.dim(type.padEnd(16))} ${String(past.events.get(id) ?? 0).padStart(4)} alerts`,
  );
  const sum = `${days} days in ${(past.tookMs / 1_000).toFixed(1)} s: ${past.polls} polls, ${past.billed} requests billed, ${past.sent} messages`;
  return [...lines, "", `${INDENT}${colors.green(sum)}`].join("\n");
}

/** Returns three commands to try from another terminal while the demo runs. */
export function tryText(command: string, configFile: string, item: string | undefined): string {
  const at = `-c ${configFile}`;
  const commands = [
    ["events --since 2d", "what was announced in the last two days"],
    [
      item === undefined ? "budget" : `explain ${item}`,
      item === undefined
        ? "what it has cost so far"
        : "why that one was announced, and how it was sent",
    ],
    ["status", "what is watched, spent and waiting, and what is wrong"],
  ] as const;
  return [
    `\n${INDENT}${colors.bold("Try it from another terminal:")}\n`,
    ...commands.map(
      ([line, note]) => `${INDENT}  ${command} ${line} ${at}  ${colors.dim(`# ${note}`)}`,
    ),
  ].join("\n");
}

export const chapter = (number: number, title: string, note: string): string =>
  `\n${MARGIN}${colors.cyan(colors.bold(String(number)))}  ${colors.bold(title)}  ${colors.dim(note)}\n`;

export function baselineText(watches: readonly NotedWatch[]): string {
  const width = Math.max(...watches.map(({ id }) => id.length));
  const lines = watches.map(
    ({ id, type, items, unit }) =>
      `${INDENT}${id.padEnd(width)}  ${colors.dim(type.padEnd(16))} ${String(items).padStart(4)} ${unit} noted`,
  );
  const total = watches.reduce((sum, { items }) => sum + items, 0);
  return [...lines, "", `${INDENT}${colors.green(`${total} items noted, none announced`)}`].join(
    "\n",
  );
}

export interface Repeat {
  /** The number of items that raised an alert before the restart. */
  readonly alertedBefore: number;
  /** How many of them the service served again after the restart, and how many times in total. */
  readonly servedAgain: number;
  readonly times: number;
  /** The number of alerts that repeated an earlier one. */
  readonly duplicates: number;
}

export function repeatText({ alertedBefore, servedAgain, times, duplicates }: Repeat): string {
  const verdict =
    duplicates === 0
      ? colors.green(`duplicate alerts: ${duplicates}`)
      : colors.red(`duplicate alerts: ${duplicates}`);
  return [
    `${INDENT}${alertedBefore} items raised an alert before the restart.`,
    `${INDENT}The service served ${servedAgain} of them again, ${times} times in all; ${verdict}`,
  ].join("\n");
}

/** Returns the text of a message in a chat whose alert was acknowledged. */
export const acknowledgedText = (message: string): string =>
  [
    `${INDENT}${colors.dim("In Slack, Discord and Telegram, its message is edited. In Slack it then reads:")}`,
    "",
    ...message.split("\n").map((line) => `${INDENT}${colors.dim("|")} ${line}`),
  ].join("\n");

/** Formats a report as `chirpwatch report` prints it. */
export function reportText(report: ReportView): string {
  const lines = reportLines(report).map((line) => `${INDENT}${line.replace(/^•/, "-")}`);
  return [`${INDENT}${colors.bold(reportTitle(report))}`, ...lines, ""].join("\n");
}

export interface Sum {
  readonly counts: DemoCounts;
  readonly polls: number;
  readonly billed: number;
  readonly alerts: number;
  readonly statusUrl: string;
  readonly staying: boolean;
}

export function summaryText({ counts, polls, billed, alerts, statusUrl, staying }: Sum): string {
  const rows = [
    ["polls", String(polls)],
    ["requests", `${billed} billed, by the service's own count`],
    ["events", `${counts.events}, each created once`],
    [
      "deliveries",
      `${counts.sent} sent, ${counts.waiting} waiting, ${counts.dead} given up; ${alerts} alerts on this console`,
    ],
    ["lag", lagText(counts)],
    [
      "status page",
      staying
        ? colors.underline(statusUrl)
        : `${statusUrl} ${colors.dim("(gone with the demo: --stay keeps it)")}`,
    ],
  ] as const;
  return [
    `${INDENT}${colors.dim("The totals, read from the state and from the service's own counts:")}`,
    ...rows.map(([name, text]) => `${INDENT}${colors.dim(name.padEnd(12))} ${text}`),
  ].join("\n");
}

function lagText({ lagsMs, addedMs }: DemoCounts): string {
  if (lagsMs.length === 0) return "nothing to measure";
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  const seen = `from posted to delivered: median ${seconds(median(lagsMs))}, at most ${seconds(lagsMs.at(-1) ?? 0)}`;
  return `${seen}; ${Math.round(median(addedMs))} ms of that from found to delivered, including waits for a group or digest`;
}

const median = (ascending: readonly number[]): number =>
  ascending[Math.floor((ascending.length - 1) / 2)] ?? 0;

export const outroText = (staying: boolean): string =>
  staying
    ? `\n${INDENT}${colors.bold("It keeps running until you press Ctrl-C.")}\n`
    : `\n${INDENT}Next: ${colors.bold("chirpwatch init slack")}, ${colors.bold("init discord")} or ${colors.bold("init webhook")} writes a watches.yaml of your own.\n`;
