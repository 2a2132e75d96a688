/** `chirpwatch pause` and `resume`: one watch stops being polled, and goes on where it was. Asked of the daemon, or written into the state. A sink's resume is resume-sink.ts's. */
import type { Command } from "commander";
import { pauseText, pauseView } from "../../app/daemon/pause.ts";
import { onReturnOf } from "../../app/daemon/registration.ts";
import type { Config } from "../../config/config.ts";
import { suggest } from "../../config/suggest.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { PauseView } from "../../server/words/actions.ts";
import type { WatchView } from "../../server/words/views.ts";
import { askDaemon, noteFault, textAt } from "../access/ask-daemon.ts";
import { changeState, keptText } from "../access/change-state.ts";
import { type CliContext, CONFIG_OPTION } from "../terminal/context.ts";
import { type DaemonPlace, findDaemon } from "../access/find-daemon.ts";
import { callerName } from "./replay-sent.ts";
import { resumeSink } from "./resume-sink.ts";

const WORDS = {
  pause: { paused: true, what: "stop polling one watch until it is resumed, also after a restart" },
  resume: { paused: false, what: "poll a paused watch again; what came meanwhile is delivered as its on_return says" },
} as const;

type Verb = keyof typeof WORDS;

export const addPause = (program: Command, context: CliContext): void => add("pause", program, context);
export const addResume = (program: Command, context: CliContext): void => add("resume", program, context);

function add(verb: Verb, program: Command, context: CliContext): void {
  const command = program
    .command(verb)
    .description(WORDS[verb].what)
    .argument(verb === "resume" ? "[watch]" : "<watch>", "id of the watch, as in the configuration")
    .option(...CONFIG_OPTION);
  if (verb === "resume")
    command
      .option("--from-now", "skip what came while it was paused, whatever its on_return says")
      .option("--sink <name>", "instead of a watch: send again to a sink that is disabled, and try one that fails now");
  const examples = `\nExample:\n  chirpwatch ${verb} brand-mentions${verb === "resume" ? "\n  chirpwatch resume --sink hook" : ""}`;
  command.addHelpText("after", examples).action(async (watch: string | undefined, { config, fromNow = false, sink }: Options) => {
    if ((watch === undefined) === (sink === undefined)) throw new ExitError(EXIT.usage, "USAGE", "name a watch, or a sink with --sink");
    if (sink !== undefined) await resumeSink(context, sink, config);
    else if (watch !== undefined) await setPaused(context, { verb, watch, isFromNow: fromNow }, config);
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

async function setPaused(context: CliContext, order: Order, configPath: string): Promise<void> {
  const { verb, watch, isFromNow } = order;
  const place = await findDaemon(context, configPath);
  const answer = await askDaemon(place, "POST", `/api/v1/watches/${encodeURIComponent(watch)}/${verb}${isFromNow ? "?from_now=true" : ""}`);
  if (answer !== undefined) {
    noteFault(context, place);
    if (answer.status === 404) throw unknown(watch, await runningWatches(place));
    if (answer.status !== 200) throw failed(`the running daemon refused: ${textAt(answer.body, "error", "message")}`);
    return context.out(pauseText(answer.body as unknown as PauseView));
  }
  const config = place.config();
  const { view, replicas } = await setInState(context, order, place, config);
  if (view === undefined) {
    const known = config.watches.map(({ id }) => id);
    throw known.includes(watch)
      ? failed(`${watch} is in ${configPath}, but the state does not know it yet: start the daemon once`)
      : unknown(watch, known);
  }
  if (isFromNow && !view.was_paused) throw failed(`${watch} is not paused: there is nothing to leave out`);
  context.out(`${pauseText(view)}; ${keptText(replicas)}`);
}

async function runningWatches(place: DaemonPlace): Promise<readonly string[]> {
  const answer = await askDaemon(place, "GET", "/api/v1/watches");
  const { watches = [] } = (answer?.body ?? {}) as { readonly watches?: readonly WatchView[] };
  return watches.map(({ id }) => id);
}

async function setInState(
  context: CliContext,
  { verb, watch, isFromNow }: Order,
  place: DaemonPlace,
  config: Config,
): Promise<{ readonly view: PauseView | undefined; readonly replicas: number }> {
  const { paused } = WORDS[verb];
  return changeState(context, place, async (store) => {
    const before = await store.setPaused(watch, paused, { atMs: context.clock.now(), isFromNow, by: callerName(context) });
    const view = before === undefined ? undefined : pauseView(watch, paused, before, isFromNow ? "skip" : onReturnOf(config, watch));
    return { view, replicas: (await store.connectedReplicas()).length };
  });
}

const failed = (message: string): ExitError => new ExitError(EXIT.failed, "PAUSE_FAILED", message);

function unknown(watch: string, known: readonly string[]): ExitError {
  const meant = suggest(watch, known);
  const hint = `${meant === undefined ? "" : `Did you mean ${meant}? `}There are: ${known.join(", ")}`;
  return new ExitError(EXIT.failed, "WATCH_UNKNOWN", `there is no watch "${watch}"`, { hint });
}
