/** `chirpwatch render`: shows an event as it would be sent to a sink now. Sends nothing. */
import type { Command } from "commander";
import type { RenderView } from "../../server/schema/render-view.ts";
import { ask } from "../access/ask.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";

interface Options {
  readonly config: string;
  readonly sink: string;
  readonly payload?: true;
  readonly json?: true;
}

export function addRender(program: Command, context: CliContext): void {
  program
    .command("render")
    .description(
      "show the message that a sink would get for an event now, with its template; sends nothing",
    )
    .argument(
      "<event>",
      "an event id or its first characters, a tweet id or link, or a watch id for its latest event (a sample if it has none)",
    )
    .requiredOption("--sink <name>", "the sink to render for")
    .option("--payload", "print the body that would be sent to the sink, as JSON")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch render brand-mentions --sink brand\n  chirpwatch render brand-mentions --sink brand --payload",
    )
    .action((what: string, options: Options) => render(context, what, options));
}

async function render(
  context: CliContext,
  what: string,
  { config: path, sink, payload, json }: Options,
): Promise<void> {
  const place = await findDaemon(context, path);
  const query = new URLSearchParams({ event: what, sink });
  const view = await ask<RenderView>(context, place, {
    path: `/api/v1/render?${query.toString()}`,
  });
  if (view.sample)
    context.err(
      `${view.event.watch} has no events yet, so this is a sample. chirpwatch test ${view.event.watch} shows real ones.`,
    );
  if (view.problem !== "")
    context.err(
      `The template ${view.template} failed, so this is the default message: ${view.problem}`,
    );
  if (json === true) context.out(JSON.stringify(view, undefined, 2));
  else context.out(payload === true ? JSON.stringify(view.payload, undefined, 2) : view.text);
}
