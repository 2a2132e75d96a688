/** `chirpwatch render`: an event as a sink would be sent it now, from the running daemon or its state. Sends nothing. */
import type { Command } from "commander";
import { createSink } from "../../app/delivering/create-sink.ts";
import { type RenderParts, type RenderRequest, renderEvent } from "../../app/views/render-event.ts";
import type { Config } from "../../config/config.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { startTemplateWorker } from "../../runtime/threads/template-worker.ts";
import type { RenderView } from "../../server/words/render-view.ts";
import type { ControlAnswer } from "../../server/control-client.ts";
import { askDaemon, textAt } from "../access/ask-daemon.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { readState } from "../access/read-daemon.ts";
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
    .description("show an event as a sink would be sent it now, worded by its template; sends nothing")
    .argument(
      "<event>",
      "an event's id or the beginning of it, a tweet's id or link, or a watch, for its latest event, or a sample where it has had none",
    )
    .requiredOption("--sink <name>", "the sink")
    .option("--payload", "print the body that the sink would be sent, as JSON")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch render brand-mentions --sink brand\n  chirpwatch render brand-mentions --sink brand --payload",
    )
    .action((what: string, options: Options) => render(context, what, options));
}

async function render(context: CliContext, what: string, { config: path, sink, payload, json }: Options): Promise<void> {
  const place = await findDaemon(context, path);
  const query = new URLSearchParams({ event: what, sink });
  const said = await askDaemon(place, "GET", `/api/v1/render?${query.toString()}`);
  const view = said === undefined ? await renderStopped(context, place.config(), { what, sink }) : viewIn(said);
  if (typeof view === "string") throw new ExitError(EXIT.failed, "RENDER_NOTHING", view);
  if (view.sample)
    context.err(`${view.event.watch} has had no event yet: this is a sample. chirpwatch test ${view.event.watch} shows real ones.`);
  if (view.problem !== "") context.err(`The template ${view.template} failed, so this is the default message: ${view.problem}`);
  if (json === true) context.out(JSON.stringify(view, undefined, 2));
  else context.out(payload === true ? JSON.stringify(view.payload, undefined, 2) : view.text);
}

const viewIn = ({ status, body }: ControlAnswer): RenderView | string =>
  status === 200 ? (body as unknown as RenderView) : textAt(body, "error", "message") || `the daemon answered ${status}`;

/** The thread of the templates ends with the command. */
async function renderStopped(context: CliContext, config: Config, request: RenderRequest): Promise<RenderView | string> {
  const { clock, http, outputs } = context;
  const runner = config.templates.length === 0 ? undefined : startTemplateWorker(config.templates, { clock });
  const sinkDeps = { http, clock, log: context.logger("error"), write: context.out, outputs, linksHost: config.linksHost };
  const renderFrom = (store: RenderParts["store"]) =>
    renderEvent({ store, config, clock, runner, createSink: (sink) => createSink(sink, sinkDeps) }, request);
  try {
    return await readState(context, config, renderFrom);
  } catch (error) {
    // Before the first run a sample can be shown.
    if (error instanceof ExitError && error.code === "STATE_MISSING") return await renderFrom(NO_EVENTS);
    throw error;
  } finally {
    await runner?.stop();
  }
}

const NO_EVENTS: RenderParts["store"] = { eventsById: async () => [], findEvents: async () => ({ events: [], next: null }) };
