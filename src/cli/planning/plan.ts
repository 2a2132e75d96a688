/**
 * `chirpwatch plan`: shows which polls the configuration needs, what they cost, and how late alerts
 * will be. Makes no billed request without `--online`.
 */
import type { Command } from "commander";
import type { BacktestView } from "../../operate/backtest/backtest-view.ts";
import { memoryChanges } from "../../operate/changes/memory-changes.ts";
import { strandedReasons } from "../../operate/alerts/stranded.ts";
import { readKnown } from "../../operate/plan/known-state.ts";
import { planQuota, type PlanQuota } from "../../operate/plan/plan-quota.ts";
import { createPlanView, type PlanFacts, type PlanView } from "../../operate/plan/plan-view.ts";
import { diffPlans } from "../../operate/plan/plan-diff.ts";
import { isUsableLimit } from "../../budget/spending-limit.ts";
import type { Config } from "../../config/config.ts";
import { askRemaining } from "../../requests/remaining-requests.ts";
import { errorText } from "../../model/errors.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { sha256 } from "../../runtime/hash.ts";
import type { BudgetView } from "../../server/schema/budget-view.ts";
import { askOnline } from "./ask-lengths.ts";
import {
  type CliContext,
  CONFIG_OPTION,
  JSON_OPTION,
  ONLINE_OPTION,
  requireConfig,
} from "../terminal/context.ts";
import { openService } from "../access/service-access.ts";
import { replayPeriod } from "./backtest.ts";
import { formatChangedMessages } from "./backtest-text.ts";
import { formatDiff } from "./plan-diff-text.ts";
import { formatPlan } from "./plan-text.ts";
import { ask } from "../access/ask.ts";
import { askDaemon } from "../access/ask-daemon.ts";
import { hasState, readState } from "../access/read-state.ts";
import { formatCount } from "../terminal/table.ts";

interface PlanOptions {
  readonly config: string;
  readonly diff?: string;
  readonly messages?: true;
  readonly online?: true;
  readonly json?: true;
}

export function addPlan(program: Command, context: CliContext): void {
  program
    .command("plan")
    .description(
      "show polls, requests a month per watch against the quota, and the expected delay; costs nothing without --online",
    )
    .option(...CONFIG_OPTION)
    .option(
      "--diff <file>",
      "another configuration: show what would change per watch, from --config to this one",
    )
    .option(
      "--messages",
      "with --diff: also show which messages of the last 7 days would have changed, from the archive",
    )
    .option(...ONLINE_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nExit code 3: the plan costs more than the quota allows; with --diff, the other configuration's.\n\nExamples:\n  chirpwatch plan -c watches.yaml\n  chirpwatch plan -c watches.yaml --online\n  chirpwatch plan -c watches.yaml --diff changed.yaml",
    )
    .action((options: PlanOptions) => plan(context, options).finally(() => context.http.close()));
}

async function plan(
  context: CliContext,
  { config, diff, messages, online, json }: PlanOptions,
): Promise<void> {
  if (messages === true && diff === undefined)
    throw new ExitError(EXIT.usage, "USAGE", "--messages compares two configurations", {
      hint: "Name the other one with --diff FILE.",
    });
  const { view, ...before } = await viewOf(context, config, online);
  const say = (value: object, text: string) =>
    context.out(json === true ? JSON.stringify(value, undefined, 2) : text);
  if (diff === undefined) {
    say(view, formatPlan(view));
    if (view.over_budget) throw overBudget(view);
    return;
  }
  const { view: other, config: after } = await viewOf(context, diff, online);
  const memory = memoryChanges(before.config, after, { hash: sha256, states: before.states });
  const compared = diffPlans(view, other, {
    memory,
    stranded: await strandedBy(context, before.config, after),
  });
  const replayed = messages === true ? await lastMessages(context, after) : undefined;
  say(
    replayed === undefined ? compared : { ...compared, messages: replayed },
    [
      formatDiff(compared),
      ...(replayed === undefined ? [] : [formatChangedMessages(replayed)]),
    ].join("\n\n"),
  );
  if (other.over_budget) throw overBudget(other);
}

const MESSAGES_MS = 7 * 86_400_000;
const MAX_SHOWN = 20;

/** Replays the last days with the active configuration and with the other one. */
function lastMessages(context: CliContext, other: Config): Promise<BacktestView> {
  const untilMs = context.clock.now();
  return replayPeriod(context, other, {
    ...{ sinceMs: untilMs - MESSAGES_MS, untilMs, limit: MAX_SHOWN },
    ...{ watch: undefined, sink: undefined },
  });
}

/**
 * Returns a text for each group of alerts that would wait forever, because the other configuration
 * lacks their sink. If the state cannot be read, nothing is returned.
 */
async function strandedBy(
  context: CliContext,
  before: Config,
  after: Config,
): Promise<readonly string[]> {
  if (!(await hasState(context, before.state))) return [];
  const stats = await readState(context, before, (store) => store.outboxStats()).catch(() => []);
  const known = new Set(strandedReasons(before, stats));
  return strandedReasons(after, stats).filter((reason) => !known.has(reason));
}

interface Viewed {
  readonly config: Config;
  readonly states: PlanFacts["states"];
  readonly view: PlanView;
}

/**
 * Returns the plan without any request, free ones included: an unknown quota is taken from the
 * daemon or from what it stored.
 */
export const planWithoutRequests = async (
  context: CliContext,
  configPath: string,
): Promise<PlanView> => (await viewOf(context, configPath, false, storedQuota)).view;

async function viewOf(
  context: CliContext,
  configPath: string,
  isOnline = false,
  askQuota = quotaOf,
): Promise<Viewed> {
  const config = await requireConfig(context, configPath, { lenientSecrets: !isOnline });
  const known = await knownState(context, config);
  const quota = configuredQuota(config) ?? (await askQuota(context, config));
  const slowDown = await slowDownNow(config);
  const asked = isOnline ? await askOnline(context, config, known.states) : {};
  const view = createPlanView(config, {
    hash: sha256,
    nowMs: context.clock.now(),
    quota,
    slowDown,
    ...known,
    ...asked,
  });
  return { config, states: known.states, view };
}

/**
 * Returns what an existing state adds to the plan, such as ids of accounts and paused watches. If
 * there is none or it cannot be read, the plan does without.
 */
async function knownState(
  context: CliContext,
  config: Config,
): Promise<Pick<PlanFacts, "states" | "ratioOf" | "lastPolledMs" | "archive">> {
  if (!(await hasState(context, config.state))) return { states: [] };
  try {
    return await readState(context, config, (store) =>
      readKnown(store, config, { hash: sha256, clock: context.clock }),
    );
  } catch (error) {
    context.err(`the state was not used: ${errorText(error)}`);
    return { states: [] };
  }
}

/**
 * Returns the slow-down factors of the daemon that runs on this state; undefined if none runs or it
 * does not answer.
 */
async function slowDownNow(config: Config): Promise<PlanFacts["slowDown"]> {
  const answer = await askDaemon(config, "GET", "/api/v1/budget").catch(() => undefined);
  return answer?.status === 200
    ? ((answer.body as unknown as BudgetView).quota.stretch ?? undefined)
    : undefined;
}

const keysOf = ({ api }: Config) => api.keys ?? [{ monthly: undefined }];
const sumOfKeys = (config: Config): number =>
  keysOf(config).reduce((sum, { monthly = 0 }) => sum + monthly, 0);

/** Returns the quota if the configuration sets it, for all keys together or for each. */
function configuredQuota(config: Config): PlanQuota | undefined {
  const { api } = config;
  const isOfEachKey = keysOf(config).every(({ monthly }) => monthly !== undefined);
  const ofKeys = isOfEachKey ? sumOfKeys(config) : undefined;
  // If both the total and a quota for each key are configured, the smaller applies, as in the
  // daemon.
  if (api.quota.monthly !== undefined)
    return planQuota(Math.min(api.quota.monthly, ofKeys ?? Number.POSITIVE_INFINITY), {
      failure: "",
    });
  return ofKeys === undefined ? undefined : planQuota(ofKeys, { failure: "" });
}

/** Returns the quota that the daemon goes by, or that is stored in the state. */
async function storedQuota(context: CliContext, config: Config): Promise<PlanQuota> {
  const place = { state: config.state, config: () => config, fault: undefined };
  try {
    const { quota } = await ask<BudgetView>(context, place, { path: "/api/v1/budget" });
    const nothing = "no daemon has stored the quota yet";
    return planQuota(
      undefined,
      quota.limit === null ? { failure: nothing } : { value: quota.limit },
    );
  } catch (error) {
    return planQuota(undefined, { failure: errorText(error) });
  }
}

/**
 * Asks the service for the quota. /key-usage-info, which is free, is called only for keys whose
 * quota the configuration does not set.
 */
async function quotaOf(context: CliContext, config: Config): Promise<PlanQuota> {
  const { api } = config;
  try {
    const access = await openService(context, {
      api,
      state: undefined,
      log: context.logger("error"),
    });
    try {
      let left: unknown = sumOfKeys(config);
      for (const { name, monthly } of access.keys)
        if (monthly === undefined) left = addUp(left, await askRemaining(access.gate, name));
      return planQuota(undefined, { value: left });
    } finally {
      await access.close();
    }
  } catch (error) {
    return planQuota(undefined, { failure: errorText(error) });
  }
}

/** Adds up the quotas of keys; if one of them is not a usable number, the sum is undefined. */
const addUp = (sum: unknown, remaining: unknown): unknown =>
  isUsableLimit(sum) && isUsableLimit(remaining) ? sum + remaining : undefined;

function overBudget(view: PlanView): ExitError {
  const { quota, total } = view;
  const message = `over budget: the plan costs ${formatCount(total.requests_per_month)} requests a month and the quota is ${formatCount(quota.limit ?? 0)}. Most expensive: ${view.dearest.slice(0, 3).join(", ")}.`;
  return new ExitError(EXIT.overBudget, "PLAN_OVER_BUDGET", message, {
    hint: changesText(view.changes),
  });
}

const NOTHING_FITS =
  "No schedule fits this quota: poll fewer accounts, or raise the quota. A short `max_age`, `no_events` or `spike` window keeps a watch from being polled more slowly.";

/** Formats the changes that would make the plan fit the quota, the cheapest first. */
function changesText(changes: PlanView["changes"]): string {
  if (changes.length === 0) return NOTHING_FITS;
  return changes
    .map(
      (change, index) =>
        `${index === 0 ? "This fits" : "Or"}${costText(change)}: ${change.change}.`,
    )
    .join("\n");
}

const costText = ({ requests_per_month: requests }: PlanView["changes"][number]): string =>
  `, at ${formatCount(requests)} a month`;
