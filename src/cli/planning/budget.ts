/** `chirpwatch budget`: what the period has cost so far and what it will, by the daemon's own word or by its state. */
import type { Command } from "commander";
import { budgetView } from "../../app/views/quota-view.ts";
import { readStoppedQuota } from "../../app/plan/stopped-quota.ts";
import { sha256 } from "../../runtime/hash.ts";
import type { BudgetView } from "../../server/words/budget-view.ts";
import { formatBudget } from "./budget-text.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { readDaemon, readState } from "../access/read-daemon.ts";

/** Where nobody says how wide the terminal is. */
const USUAL_COLUMNS = 80;

export function addBudget(program: Command, context: CliContext): void {
  program
    .command("budget")
    .description("show what this period has cost so far, by watch and endpoint, and what it will cost by its end")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch budget -c watches.yaml")
    .action((options: { config: string; json?: true }) => budget(context, options.config, options.json === true));
}

async function budget(context: CliContext, configPath: string, asJson: boolean): Promise<void> {
  const place = await findDaemon(context, configPath);
  const nowMs = context.clock.now();
  const running = (await readDaemon(context, place, "/api/v1/budget")) as BudgetView | undefined;
  const view =
    running ??
    (await readState(context, place.config(), async (store) => {
      const { facts, spending } = await readStoppedQuota(store, place.config(), { ...context, hash: sha256 });
      return budgetView(facts, spending);
    }));
  const columns = Number(context.env["COLUMNS"] ?? process.stdout.columns ?? USUAL_COLUMNS) || USUAL_COLUMNS;
  context.out(asJson ? JSON.stringify(view, undefined, 2) : formatBudget(view, { nowMs, columns, isRunning: running !== undefined }));
}
