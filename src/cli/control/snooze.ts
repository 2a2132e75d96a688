/**
 * `chirpwatch snooze` and `chirpwatch silence author`: hold back what an alert is about, or what its
 * author writes.
 */
import type { Command } from "commander";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { cleanLine } from "../../render/text/clean-text.ts";
import type { Effect } from "../../server/schema/change-view.ts";
import type { HeldView } from "../../server/schema/hold-view.ts";
import { ask, queryText } from "../access/ask.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION, nameCaller } from "../terminal/context.ts";
import { untilText } from "../terminal/silence-table.ts";
import { formatEffect } from "../terminal/table.ts";

interface Flags {
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
    .action((alert: string, flags: Flags) => hold(context, "snooze", alert, flags));
}

export function addSilenceAuthor(silence: Command, context: CliContext): void {
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
    .action((alert: string, flags: Flags) => hold(context, "author-silence", alert, flags));
}

async function hold(
  context: CliContext,
  action: "snooze" | "author-silence",
  alert: string,
  flags: Flags,
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
