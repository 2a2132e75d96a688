/**
 * `chirpwatch backfill`: reads the past of a watch, after saying what that costs, and sends alerts
 * about what the watch missed.
 */
import type { Command } from "commander";
import { type BackEstimate, estimateBack } from "../../operate/backfill/estimate-back.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import type { Effect } from "../../server/schema/change-view.ts";
import type { BackfillView } from "../../server/schema/backfill-view.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { CliContext } from "../terminal/context.ts";
import { CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";
import { confirm } from "../terminal/confirm.ts";
import { estimateText, resultText } from "./backfill-text.ts";
import { plural } from "../terminal/table.ts";
import { type BackfillPlan, openBackfill } from "./backfill-plan.ts";
import { readAll, type BackRead } from "./backfill-read.ts";
import { commitAlerts, countBackfill } from "./backfill-alerts.ts";

interface BackfillFlags {
  readonly config: string;
  readonly since?: string;
  readonly maxRequests: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** How many requests are paid for, and how many alerts are sent, without asking the user. */
const MAX_UNASKED = 20;

export function addBackfillCommand(program: Command, context: CliContext): void {
  program
    .command("backfill")
    .description(
      "read the past of a watch of tweets and send alerts for what it missed; says what it costs first, and asks above 20 requests",
    )
    .argument("<watch>", "id of the watch")
    .requiredOption("--since <time>", "how far back: a time, or how long ago, like 7d")
    .option(
      "--max-requests <count>",
      "stop after this many paid requests; alerts are sent for what was read until then",
      "500",
    )
    .option(
      "--dry-run",
      "pay and read, but send nothing: the next run within a day uses what was read",
    )
    .option("--yes", "do not ask for confirmation")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch backfill brand-mentions --since 7d --dry-run\n  chirpwatch backfill brand-mentions --since 2026-07-01 --max-requests 200 --yes",
    )
    .action((watch: string, flags: BackfillFlags) =>
      backfill(context, watch, flags).finally(() => context.http.close()),
    );
}

async function backfill(context: CliContext, watchId: string, flags: BackfillFlags): Promise<void> {
  if (!/^[1-9]\d{0,6}$/.test(flags.maxRequests))
    throw new ExitError(
      EXIT.usage,
      "BACKFILL_BAD_OPTION",
      `--max-requests takes a whole number above 0, not "${flags.maxRequests}"`,
    );
  const plan = await openBackfill(context, {
    watchId,
    since: flags.since ?? "",
    configPath: flags.config,
  });
  const say = flags.json === true ? context.err : context.out;
  try {
    const { store } = plan.access;
    const most = Math.min(Number(flags.maxRequests), plan.left ?? Number.POSITIVE_INFINITY);
    const estimate = await estimateBack(store, plan.polls, plan);
    for (const line of estimateText(plan, estimate, most)) say(line);
    if (flags.yes !== true && isExpensive(estimate, most))
      await ask("Pay for these requests?", "a lower --max-requests");
    const read = await readAll(context, plan, { most, estimate });
    if (flags.yes !== true && flags.dryRun !== true)
      await askForAlerts(await countBackfill(context, plan));
    const view: BackfillView & Partial<Effect> = await (flags.dryRun === true
      ? countBackfill(context, plan)
      : commitAlerts(context, plan));
    say(resultText(view, { effect: view.effect, spent: read.spent }));
    if (flags.json === true) context.out(JSON.stringify(jsonOf(plan, read, view), undefined, 2));
    failWhereCut(read);
  } finally {
    await plan.access.close();
  }
}

const isExpensive = ({ requests, unread }: BackEstimate, most: number): boolean =>
  unread > 0 && Math.min(requests ?? most, most) > MAX_UNASKED;

/** Asks the user. @throws ExitError unless the answer is yes */
async function ask(question: string, instead: string): Promise<void> {
  const isSure = await confirm(question);
  if (isSure === undefined)
    throw new ExitError(
      EXIT.usage,
      "BACKFILL_UNCONFIRMED",
      `${question} There is no terminal to ask on: add --yes, or ${instead}`,
    );
  if (!isSure) throw new ExitError(EXIT.failed, "BACKFILL_UNCONFIRMED", "nothing was sent");
}

/**
 * Asks for a confirmation before many alerts are sent. The items that were read are kept for a day,
 * whatever the answer is.
 */
async function askForAlerts({ alerts }: BackfillView): Promise<void> {
  if (alerts > MAX_UNASKED) await ask(`Send ${alerts} alerts?`, "--dry-run to only see how many");
}

const jsonOf = ({ watch, sinceMs }: BackfillPlan, read: BackRead, view: BackfillView) => ({
  watch: watch.id,
  since: new Date(sinceMs).toISOString(),
  requests: read.spent,
  whole: read.cut.length === 0,
  ...view,
});

/**
 * Throws an error if the backfill is incomplete, so that a script notices it. The alerts about the
 * items that were read have been sent nevertheless.
 */
function failWhereCut({ cut, spent }: BackRead): void {
  if (cut.length === 0) return;
  const why = cut.map(({ poll, reason }) => `${nameOf(poll)}: ${reason}`).join("\n");
  throw new ExitError(
    EXIT.failed,
    "BACKFILL_CUT",
    `the backfill is not complete after ${plural(spent, "request")}\n${why}`,
    {
      hint: "Run the same command again to continue: within a day, it pays for nothing twice.",
    },
  );
}

const nameOf = ({ subscribers }: Poll): string =>
  subscribers.map(({ targetName }) => targetName).join(", ");
