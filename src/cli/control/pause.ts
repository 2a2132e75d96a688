/**
 * `chirpwatch pause` and `resume`: stop polling a watch, and later continue from where it stopped.
 * Resuming a sink is in resume-sink.ts.
 */
import type { Command } from "commander";
import { pauseText } from "../../operate/pause.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Effect, PauseView } from "../../server/schema/change-view.ts";
import type { StatusView } from "../../server/schema/status-view.ts";
import { ask, queryText } from "../access/ask.ts";
import { requireKnownName } from "../access/known-name.ts";
import { nameCaller, type CliContext, CONFIG_OPTION } from "../terminal/context.ts";
import { type DaemonPlace, findDaemon } from "../access/find-daemon.ts";
import { formatEffect } from "../terminal/table.ts";
import { resumeSink } from "./resume-sink.ts";

const WORDS = {
  pause: { paused: true, what: "stop polling a watch until it is resumed, even after a restart" },
  resume: {
    paused: false,
    what: "poll a paused watch again; its on_return decides what happens to items from the pause",
  },
} as const;

type Verb = keyof typeof WORDS;

export const addPause = (program: Command, context: CliContext): void =>
  add("pause", program, context);
export const addResume = (program: Command, context: CliContext): void =>
  add("resume", program, context);

function add(verb: Verb, program: Command, context: CliContext): void {
  const command = program
    .command(verb)
    .description(WORDS[verb].what)
    .argument(verb === "resume" ? "[watch]" : "<watch>", "id of the watch in the configuration")
    .option(...CONFIG_OPTION);
  if (verb === "resume")
    command
      .option("--from-now", "skip items from the pause, whatever on_return says")
      .option(
        "--sink <name>",
        "instead of a watch: enable a disabled sink again, or retry a failing one now",
      );
  const examples = `\nExample:\n  chirpwatch ${verb} brand-mentions${verb === "resume" ? "\n  chirpwatch resume --sink hook" : ""}`;
  command
    .addHelpText("after", examples)
    .action(async (watch: string | undefined, { config, fromNow = false, sink }: Options) => {
      if ((watch === undefined) === (sink === undefined))
        throw new ExitError(EXIT.usage, "USAGE", "name a watch, or a sink with --sink");
      if (sink !== undefined) await resumeSink(context, sink, config);
      else if (watch !== undefined)
        await setPaused(context, { verb, watch, isFromNow: fromNow }, config);
    });
}

interface Options {
  readonly config: string;
  readonly fromNow?: boolean;
  readonly sink?: string;
}

interface Order {
  readonly verb: Verb;
  readonly watch: string;
  readonly isFromNow: boolean;
}

async function setPaused(
  context: CliContext,
  { verb, watch, isFromNow }: Order,
  configPath: string,
): Promise<void> {
  const place = await findDaemon(context, configPath);
  const query = queryText({ by: nameCaller(context), from_now: isFromNow ? "true" : undefined });
  const path = `/api/v1/watches/${encodeURIComponent(watch)}/${verb}?${query}`;
  const view = await ask<PauseView & Effect>(context, place, { method: "POST", path }).catch(
    (error: unknown) => {
      if (error instanceof ExitError && error.code === "WATCH_UNKNOWN")
        return explainUnknown(context, place, watch);
      throw error;
    },
  );
  context.out(`${pauseText(view)}; ${formatEffect(view)}`);
}

/**
 * Explains why a watch cannot be paused. @throws ExitError with the known watches, or the reason
 * why a configured watch cannot be paused yet
 */
async function explainUnknown(
  context: CliContext,
  place: DaemonPlace,
  watch: string,
): Promise<never> {
  const { watches } = await ask<Pick<StatusView, "watches">>(context, place, {
    path: "/api/v1/watches",
  });
  requireKnownName(
    "watch",
    watch,
    watches.map(({ id }) => id),
  );
  throw new ExitError(
    EXIT.failed,
    "PAUSE_FAILED",
    `${watch} is configured, but the state does not know it yet: start the daemon once`,
  );
}
