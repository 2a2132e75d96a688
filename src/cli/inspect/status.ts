/**
 * `chirpwatch status`: shows what the daemon reports or, if none runs, what can be read from the
 * state.
 */
import type { Command } from "commander";
import type { StatusView, StoppedView } from "../../server/schema/status-view.ts";
import { ask } from "../access/ask.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { formatStatus } from "./status-text.ts";

export function addStatus(program: Command, context: CliContext): void {
  program
    .command("status")
    .description(
      "show watches, sinks, quota and recent alerts of the running daemon, or of its stored state",
    )
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch status -c watches.yaml")
    .action((options: { config: string; json?: true }) =>
      status(context, options.config, options.json === true),
    );
}

async function status(context: CliContext, configPath: string, asJson: boolean): Promise<void> {
  const place = await findDaemon(context, configPath);
  const view = await ask<StatusView | StoppedView>(context, place, { path: "/api/v1/status" });
  context.out(
    asJson ? JSON.stringify(view, undefined, 2) : formatStatus(view, context.clock.now()),
  );
}
