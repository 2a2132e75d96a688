/** `chirpwatch not-relevant`: says that an alert was not worth it, or takes that back. */
import type { Command } from "commander";
import { cleanLine } from "../../render/text/clean-text.ts";
import type { Effect } from "../../server/schema/change-view.ts";
import type { NotRelevantView } from "../../server/schema/mark-view.ts";
import { whoText } from "../../server/contract/delivery-words.ts";
import { ask, queryText } from "../access/ask.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION, nameCaller } from "../terminal/context.ts";
import { plural } from "../terminal/table.ts";

interface Flags {
  readonly config: string;
  readonly undo?: true;
  readonly by?: string;
  readonly json?: true;
}

export function addNotRelevant(program: Command, context: CliContext): void {
  program
    .command("not-relevant")
    .description("mark an alert as not relevant; status and reports count such alerts")
    .argument("<alert>", "id of an event or of a message, from `explain` or `events --json`")
    .option("--undo", "take the mark back")
    .option("--by <name>", "who does this (default: the user of this terminal)")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch not-relevant 6d1f0b6c2a9e4f37")
    .action((alert: string, flags: Flags) => mark(context, alert, flags));
}

async function mark(context: CliContext, alert: string, flags: Flags): Promise<void> {
  const query = queryText({ by: nameCaller(context, flags.by) });
  const view = await ask<NotRelevantView & Effect>(
    context,
    await findDaemon(context, flags.config),
    {
      method: flags.undo === true ? "DELETE" : "POST",
      path: `/api/v1/alerts/${encodeURIComponent(alert)}/not-relevant?${query}`,
    },
  );
  context.out(
    flags.json === true
      ? JSON.stringify(view, undefined, 2)
      : formatMarked(view, flags.undo === true),
  );
}

/** Says what the request changed, and what held already. */
function formatMarked(view: NotRelevantView, isUndo: boolean): string {
  const { alerts, changed, not_relevant: mark } = view;
  const now = mark === null ? "" : ` ${cleanLine(whoText(mark))}`;
  if (changed === 0)
    return isUndo
      ? "nothing was changed: it is not marked as not relevant"
      : `nothing was changed: already marked as not relevant${now}`;
  const part = changed === alerts ? "" : ` of ${alerts}`;
  const what = `${changed}${part} ${plural(Math.max(changed, alerts), "alert").replace(/^\S+ /, "")}`;
  return isUndo ? `mark of ${what} undone` : `${what} marked as not relevant${now}`;
}
