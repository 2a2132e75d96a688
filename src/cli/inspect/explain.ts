/**
 * `chirpwatch explain`: shows what happened to an item in each watch: its verdict with the reason,
 * its event, and the sinks, messages and attempts to send them.
 */
import type { Command } from "commander";
import type { ExplainView } from "../../server/schema/explain-view.ts";
import { ask } from "../access/ask.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";
import { formatExplanation } from "./explain-text.ts";
import { formatUnseen, neverSeen } from "./unseen-text.ts";
import { findDaemon } from "../access/find-daemon.ts";

export function addExplain(program: Command, context: CliContext): void {
  program
    .command("explain")
    .description("say what happened to a tweet or an account: alerted, or the exact reason why not")
    .argument("<item>", "tweet id or link, user id, handle or profile link")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch explain https://x.com/alice/status/2122697426267233124\n  chirpwatch explain @bob",
    )
    .action((item: string, options: { config: string; json?: true }) =>
      explain(context, item, options.config, options.json === true),
    );
}

async function explain(
  context: CliContext,
  item: string,
  configPath: string,
  asJson: boolean,
): Promise<void> {
  const place = await findDaemon(context, configPath);
  const view = await ask<ExplainView>(context, place, {
    path: `/api/v1/explain/${encodeURIComponent(item)}`,
  });
  if (asJson) context.out(JSON.stringify(view, undefined, 2));
  if (!asJson && view.unseen !== null) context.out(formatUnseen(view.unseen));
  if (view.verdicts.length === 0) throw neverSeen(view);
  if (!asJson) context.out(formatExplanation(view));
}
