/** `chirpwatch pause` and `resume`: one watch stops being polled, and goes on where it was. Asked of the daemon, or written into the state. */
import type { Command } from "commander";
import { setWatchPaused } from "../app/pause.ts";
import { suggest } from "../config/suggest.ts";
import { EXIT, ExitError } from "../model/exit-code.ts";
import { openStore } from "../state/open.ts";
import { askDaemon, textAt } from "./ask-daemon.ts";
import { type CliContext, CONFIG_OPTION, requireConfig } from "./context.ts";

const WORDS = {
  pause: { paused: true, done: "is paused", what: "stop polling one watch until it is resumed; also over restarts" },
  resume: { paused: false, done: "goes on", what: "poll a paused watch again, from where it was paused" },
} as const;

type Verb = keyof typeof WORDS;

export const addPause = (program: Command, context: CliContext): void => add("pause", program, context);
export const addResume = (program: Command, context: CliContext): void => add("resume", program, context);

function add(verb: Verb, program: Command, context: CliContext): void {
  program
    .command(verb)
    .description(WORDS[verb].what)
    .argument("<watch>", "id of the watch, as in the configuration")
    .option(...CONFIG_OPTION)
    .addHelpText("after", `\nExample:\n  chirpwatch ${verb} brand-mentions`)
    .action((watch: string, { config }: { config: string }) => setPaused(context, verb, watch, config));
}

async function setPaused(context: CliContext, verb: Verb, watch: string, configPath: string): Promise<void> {
  const config = await requireConfig(context, configPath, { lenientSecrets: true });
  const known = config.watches.map(({ id }) => id);
  const { path } = config.state;
  const answer = await askDaemon(path, "POST", `/api/v1/watches/${encodeURIComponent(watch)}/${verb}`);
  if (answer !== undefined) {
    if (answer.status === 404) throw unknown(watch, known);
    if (answer.status !== 200) throw failed(`the running daemon refused: ${textAt(answer.body, "error", "message")}`);
    return context.out(`${watch} ${WORDS[verb].done}`);
  }
  if (!(await setInState(context, verb, watch, path))) {
    throw known.includes(watch)
      ? failed(`${watch} is in ${configPath}, but the state does not know it yet: start the daemon once`)
      : unknown(watch, known);
  }
  context.out(`${watch} ${WORDS[verb].done}; no daemon runs now, the next start keeps to it`);
}

async function setInState(context: CliContext, verb: Verb, watch: string, path: string): Promise<boolean> {
  const { clock, random } = context;
  const store = await openStore({ path, clock, random, log: context.logger("warn"), shared: true, mustExist: true });
  try {
    return await setWatchPaused(store, clock, watch, WORDS[verb].paused);
  } finally {
    await store.close();
  }
}

const failed = (message: string): ExitError => new ExitError(EXIT.failed, "PAUSE_FAILED", message);

function unknown(watch: string, known: readonly string[]): ExitError {
  const meant = suggest(watch, known);
  const hint = `${meant === undefined ? "" : `Did you mean ${meant}? `}There are: ${known.join(", ")}`;
  return new ExitError(EXIT.failed, "WATCH_UNKNOWN", `there is no watch "${watch}"`, { hint });
}
