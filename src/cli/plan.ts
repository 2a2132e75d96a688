/** `chirpwatch plan`: what the configuration will ask for, what it costs, how late alerts will be. Spends no billed request. */
import type { Command } from "commander";
import { createPlanView, planQuota, type PlanQuota, type PlanView, type PlanWatchView } from "../app/plan-view.ts";
import type { Config } from "../config/config.ts";
import { errorText } from "../model/errors.ts";
import { EXIT, ExitError } from "../model/exit-code.ts";
import type { WatchState } from "../model/store.ts";
import { sha256 } from "../runtime/hash.ts";
import { openStore } from "../state/open.ts";
import { type CliContext, requireConfig } from "./context.ts";
import { openService } from "./service-access.ts";
import { formatCount, formatTable, plural } from "./table.ts";

export function addPlan(program: Command, context: CliContext): void {
  program
    .command("plan")
    .description("show polls, requests a month per watch against the quota, and the expected delay; costs nothing")
    .option("-c, --config <file>", "configuration file or folder", "watches.yaml")
    .option("--json", "print the plan as JSON")
    .addHelpText("after", "\nExit code 3: the plan costs more than the quota allows.\n\nExample:\n  chirpwatch plan -c watches.yaml")
    .action((options: { config: string; json?: true }) => plan(context, options.config, options.json === true));
}

async function plan(context: CliContext, configPath: string, asJson: boolean): Promise<void> {
  const config = await requireConfig(context, configPath, { lenientSecrets: true });
  const states = await knownStates(context, config);
  const quota = await quotaOf(context, config);
  const view = createPlanView(config, { hash: sha256, nowMs: context.clock.now(), quota, states });
  context.out(asJson ? JSON.stringify(view, undefined, 2) : formatPlan(view));
  if (view.over_budget) throw overBudget(view);
}

/** What a state that exists knows: ids of accounts, which watches are paused. A plan is worth having without. */
async function knownStates(context: CliContext, config: Config): Promise<readonly WatchState[]> {
  const { path } = config.state;
  if (!(await context.files.exists(path))) return [];
  try {
    const store = await openStore({ ...context, path, log: context.logger("error"), readonly: true });
    try {
      return await store.listWatches();
    } finally {
      await store.close();
    }
  } catch (error) {
    context.err(`the state was left aside: ${errorText(error)}`);
    return [];
  }
}

/** /key-usage-info is not billed; it is asked only where the configuration names no quota. */
async function quotaOf(context: CliContext, config: Config): Promise<PlanQuota> {
  if (config.api.quota.monthly !== undefined) return planQuota(config.api.quota.monthly, { failure: "" });
  try {
    const access = await openService(context, { api: config.api, statePath: undefined, log: context.logger("error") });
    try {
      const answer = await access.gate.request({
        endpoint: "key-usage-info",
        params: {},
        source: "usage",
        watch: "",
        priority: "high",
        purpose: "command",
        billed: false,
      });
      return planQuota(undefined, { value: answer.record?.["remaining_requests"] });
    } finally {
      await access.close();
    }
  } catch (error) {
    return planQuota(undefined, { failure: errorText(error) });
  }
}

function formatPlan(view: PlanView): string {
  const parts = [watchTable(view), totals(view), nextRuns(view.watches), caveats(view.watches)];
  if (view.warnings.length > 0) parts.push(["Warnings:", ...view.warnings.map((warning) => `  ${warning}`)].join("\n"));
  return parts.filter((part) => part !== "").join("\n\n");
}

const watchTable = (view: PlanView): string =>
  formatTable(
    [
      { title: "WATCH" },
      { title: "TYPE" },
      { title: "SCHEDULE" },
      { title: "POLLS", align: "right" },
      { title: "REQUESTS/DAY", align: "right" },
      { title: "REQUESTS/MONTH", align: "right" },
      { title: "QUOTA", align: "right" },
      { title: "DELAY P50", align: "right" },
      { title: "P95", align: "right" },
      { title: "" },
    ],
    view.watches.map((watch) => [
      watch.id,
      watch.type,
      watch.schedule,
      String(watch.polls),
      formatCount(watch.requests_per_day),
      formatCount(watch.requests_per_month),
      shareOf(watch.requests_per_month, view.quota.limit),
      delayText(watch.delay_seconds?.p50),
      delayText(watch.delay_seconds?.p95),
      remarks(watch),
    ]),
  );

const shareOf = (requests: number, limit: number | null): string =>
  limit === null || limit === 0 ? "-" : `${formatCount((requests / limit) * 100)}%`;

function delayText(seconds: number | undefined): string {
  if (seconds === undefined) return "-";
  if (seconds < 90) return `${formatCount(seconds)}s`;
  if (seconds < 5_400) return `${formatCount(seconds / 60)}m`;
  return seconds < 172_800 ? `${formatCount(seconds / 3_600)}h` : `${formatCount(seconds / 86_400)}d`;
}

function remarks(watch: PlanWatchView): string {
  const shared = watch.shared_with.length === 0 ? [] : [`shared with ${watch.shared_with.join(", ")}`];
  const unresolved = watch.unresolved_targets === 0 ? [] : [`${plural(watch.unresolved_targets, "account")} not looked up yet`];
  return [...(watch.state === "active" ? [] : [watch.state]), ...shared, ...unresolved].join("; ");
}

function totals(view: PlanView): string {
  const { total } = view;
  const sweeps =
    total.sweep_requests_per_day > 0 ? `, ${formatCount(total.sweep_requests_per_day)} of them a day to look again for late items` : "";
  const month = `${formatCount(total.requests_per_month)} a month`;
  return `Total: ${plural(total.polls, "poll")}, ${formatCount(total.requests_per_day)} requests a day, ${month}${sweeps}.\n${quotaText(view)}`;
}

function quotaText({ quota, total }: PlanView): string {
  if (quota.limit === null) return `Quota: unknown (${quota.reason}). Set api.quota.monthly to plan against it.`;
  const origin = quota.source === "configured" ? "api.quota.monthly" : "what the key has left (remaining_requests of /key-usage-info)";
  const share = quota.limit === 0 ? "" : `; the plan takes ${shareOf(total.requests_per_month, quota.limit)}`;
  return `Quota: ${formatCount(quota.limit)} requests, ${origin}${share}.`;
}

function nextRuns(watches: readonly PlanWatchView[]): string {
  const lines = watches.flatMap(({ id, next_runs: runs }) => (runs.length === 0 ? [] : [[id, runs.map(shortTime).join("  ")]]));
  return lines.length === 0
    ? ""
    : formatTable([{ title: "WATCH" }, { title: "NEXT RUNS (UTC; the first poll of all is at start)" }], lines);
}

const shortTime = (iso: string): string => iso.slice(5, 19).replace("T", " ");

function caveats(watches: readonly PlanWatchView[]): string {
  const lines = watches.flatMap(({ id, caveats: own }) => own.map((caveat) => `  ${id}: ${caveat}`));
  return lines.length === 0 ? "" : ["What they can miss:", ...lines].join("\n");
}

function overBudget(view: PlanView): ExitError {
  const { quota, total, cheaper } = view;
  const message = `over budget: the plan costs ${formatCount(total.requests_per_month)} requests a month and the quota is ${formatCount(quota.limit ?? 0)}. Dearest: ${view.dearest.slice(0, 3).join(", ")}.`;
  return new ExitError(EXIT.overBudget, "PLAN_OVER_BUDGET", message, { hint: cheaper === null ? NOTHING_FITS : cheaperText(cheaper) });
}

const NOTHING_FITS = "No schedule fits this quota: poll fewer accounts, or raise the quota.";
const MOST_NAMED = 5;

function cheaperText(cheaper: NonNullable<PlanView["cheaper"]>): string {
  const named = cheaper.watches.slice(0, MOST_NAMED).map(({ id, schedule }) => `${id} "${schedule}"`);
  const more = cheaper.watches.length > MOST_NAMED ? ` and ${cheaper.watches.length - MOST_NAMED} more` : "";
  return `This fits, at ${formatCount(cheaper.requests_per_month)} a month: ${named.join(", ")}${more}.`;
}
