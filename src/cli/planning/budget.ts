/**
 * `chirpwatch budget`: shows what the quota period has cost so far, and what it is expected to cost
 * by its end.
 */
import type { Command } from "commander";
import type { BudgetView } from "../../server/schema/budget-view.ts";
import { formatBudget } from "./budget-text.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { ask } from "../access/ask.ts";

/** The width in columns that is assumed if the output does not report one. */
const USUAL_COLUMNS = 80;

export function addBudget(program: Command, context: CliContext): void {
  program
    .command("budget")
    .description(
      "show what this period has cost so far, by watch and endpoint, and the expected total at its end",
    )
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch budget -c watches.yaml")
    .action((options: { config: string; json?: true }) =>
      budget(context, options.config, options.json === true),
    );
}

async function budget(context: CliContext, configPath: string, asJson: boolean): Promise<void> {
  const place = await findDaemon(context, configPath);
  const nowMs = context.clock.now();
  const view = await ask<BudgetView>(context, place, { path: "/api/v1/budget" });
  const columns =
    Number(context.env["COLUMNS"] ?? process.stdout.columns ?? USUAL_COLUMNS) || USUAL_COLUMNS;
  context.out(asJson ? JSON.stringify(view, undefined, 2) : formatBudget(view, { nowMs, columns }));
}
