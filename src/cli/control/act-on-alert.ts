/**
 * The commands with which people act on one alert: `ack`, `not-relevant`, `snooze` and `silence
 * author`.
 */
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { cleanLine } from "../../render/text/clean-text.ts";
import { markText, whoText } from "../../server/contract/delivery-words.ts";
import type { Effect } from "../../server/schema/change-view.ts";
import type { MarkedView, NotRelevantView } from "../../server/schema/mark-view.ts";
import type { HeldView } from "../../server/schema/silence-view.ts";
import { ask, queryText } from "../access/ask.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION, nameCaller } from "../terminal/context.ts";
import { untilText } from "../terminal/silence-table.ts";
import { plural, formatEffect } from "../terminal/table.ts";
import type { Command } from "commander";

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
    .action((alert: string, flags: Flags) => markNotRelevant(context, alert, flags));
}

async function markNotRelevant(context: CliContext, alert: string, flags: Flags): Promise<void> {
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
      : formatNotRelevant(view, flags.undo === true),
  );
}

/** Says what the request changed, and what held already. */
function formatNotRelevant(view: NotRelevantView, isUndo: boolean): string {
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

interface HoldFlags {
  readonly config: string;
  readonly for?: string;
  readonly sink?: string;
  readonly by?: string;
  readonly json?: true;
}

const ALERT = [
  "<alert>",
  "id of an event or of a message, from `explain` or `events --json`",
] as const;
const SINK = [
  "--sink <name>",
  "at this sink only (default: each sink that has the alert)",
] as const;
const BY = ["--by <name>", "who does this (default: the user of this terminal)"] as const;

export function addSnooze(program: Command, context: CliContext): void {
  program
    .command("snooze")
    .description(
      "hold back alerts about the same conversation or account for a while; one digest ends it",
    )
    .argument(...ALERT)
    .option("--for <time>", "how long: 1h, 4h, 1w, or tomorrow (until 9:00 in the sink's zone)")
    .option(...SINK)
    .option(...BY)
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch snooze 6d1f0b6c2a9e4f37 --for 4h\n  chirpwatch snooze 6d1f0b6c2a9e4f37 --for tomorrow --sink slack-brand",
    )
    .action((alert: string, flags: HoldFlags) => hold(context, "snooze", alert, flags));
}

export function registerSilenceAuthor(silence: Command, context: CliContext): void {
  silence
    .command("author")
    .description("silence the author of an alert at the sinks that have it")
    .argument(...ALERT)
    .option("--for <time>", "how long, like 4h or 2w (default: 7d)")
    .option(...SINK)
    .option(...BY)
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch silence author 6d1f0b6c2a9e4f37 --for 2w")
    .action((alert: string, flags: HoldFlags) => hold(context, "author-silence", alert, flags));
}

async function hold(
  context: CliContext,
  action: "snooze" | "author-silence",
  alert: string,
  flags: HoldFlags,
): Promise<void> {
  const query = queryText({
    for: flags.for ?? "",
    sink: flags.sink ?? "",
    by: nameCaller(context, flags.by),
  });
  const view = await ask<HeldView & Effect>(context, await findDaemon(context, flags.config), {
    method: "POST",
    path: `/api/v1/alerts/${encodeURIComponent(alert)}/${action}?${query}`,
  }).catch(withExamples(action));
  context.out(
    flags.json === true
      ? JSON.stringify(view, undefined, 2)
      : formatHeld(view, context.clock.now()),
  );
}

/** Turns an error about a bad request into a usage error with a hint at the examples. */
const withExamples =
  (action: "snooze" | "author-silence") =>
  (error: unknown): never => {
    if (!(error instanceof ExitError) || error.code !== "HOLD_INVALID") throw error;
    const command = action === "snooze" ? "snooze" : "silence author";
    throw new ExitError(EXIT.usage, error.code, error.message, {
      hint: `chirpwatch ${command} --help shows an example`,
    });
  };

/** Says what is held back at which sink, until when, and how to end it. */
function formatHeld(view: HeldView & Effect, nowMs: number): string {
  const lines = view.held.map(({ id, sink, matchers, until, change, by }) => {
    const what = `alerts with ${cleanLine(matchers.join(", "))} are held back at ${sink} until ${untilText(until, nowMs)}`;
    const already = change === "unchanged" ? `nothing was changed: since ${cleanLine(by)}, ` : "";
    return `${already}${what}; end it: chirpwatch silence expire ${id}`;
  });
  return [...lines, ...(view.changed > 0 ? [formatEffect(view)] : [])].join("\n");
}
