/**
 * `chirpwatch ack`: acknowledges an alert, which says that somebody takes care of it, or undoes
 * that.
 */
import type { Command } from "commander";
import { cleanLine } from "../../render/text/clean-text.ts";
import type { Effect } from "../../server/schema/change-view.ts";
import type { MarkedView } from "../../server/schema/mark-view.ts";
import { markText } from "../../server/contract/delivery-words.ts";
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

export function addAck(program: Command, context: CliContext): void {
  program
    .command("ack")
    .description("acknowledge an alert: say that somebody takes care of it")
    .argument("<alert>", "id of an event or of a message, from `explain` or `events --json`")
    .option("--undo", "take the acknowledgement back")
    .option("--by <name>", "who does this (default: the user of this terminal)")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch ack 6d1f0b6c2a9e4f37\n  chirpwatch ack 6d1f0b6c2a9e4f37 --undo --by Ada",
    )
    .action((alert: string, flags: Flags) => acknowledge(context, alert, flags));
}

async function acknowledge(context: CliContext, alert: string, flags: Flags): Promise<void> {
  const query = queryText({ by: nameCaller(context, flags.by) });
  const view = await ask<MarkedView & Effect>(context, await findDaemon(context, flags.config), {
    method: flags.undo === true ? "DELETE" : "POST",
    path: `/api/v1/alerts/${encodeURIComponent(alert)}/acknowledgement?${query}`,
  });
  context.out(
    flags.json === true
      ? JSON.stringify(view, undefined, 2)
      : formatAcknowledged(view, flags.undo === true),
  );
}

/** Says what the request changed, and what held already. */
export function formatAcknowledged(view: MarkedView, isUndo: boolean): string {
  const { alerts, changed, acknowledged } = view;
  const now = acknowledged === null ? "" : cleanLine(markText(acknowledged));
  if (changed === 0)
    return isUndo
      ? "nothing was changed: nobody has acknowledged it"
      : `nothing was changed: already ${now}`;
  const part = changed === alerts ? "" : ` of ${alerts}`;
  const what = `${changed}${part} ${plural(Math.max(changed, alerts), "alert").replace(/^\S+ /, "")}`;
  return isUndo ? `acknowledgement of ${what} undone` : `${what} ${now}`;
}
