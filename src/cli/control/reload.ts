/**
 * `chirpwatch reload`: makes every daemon on the state read its configuration again. A daemon on
 * this host is asked through its control socket, daemons on other hosts through the state.
 */
import type { Command } from "commander";
import { ask } from "../access/ask.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { type CliContext, CONFIG_OPTION } from "../terminal/context.ts";
import { plural } from "../terminal/table.ts";

export function addReload(program: Command, context: CliContext): void {
  program
    .command("reload")
    .description(
      "have the running daemon, and every other one on the same state, read its configuration again",
    )
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch reload -c watches.yaml")
    .action(({ config }: { readonly config: string }) => reload(context, config));
}

async function reload(context: CliContext, configPath: string): Promise<void> {
  const place = await findDaemon(context, configPath);
  const answer = await ask<Reloaded>(context, place, { method: "POST", path: "/api/v1/reload" });
  if (answer.status === "asked")
    return context.out(
      `asked ${plural(answer.replicas, "replica")} to read the configuration again; the log of each shows the result`,
    );
  context.out(answer.changed ? "configuration reloaded" : "configuration unchanged");
}

type Reloaded =
  | { readonly status: "reloaded"; readonly changed: boolean }
  | { readonly status: "asked"; readonly replicas: number };
