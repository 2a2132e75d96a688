/**
 * `chirpwatch tail`: shows what the running daemon does, line by line as it happens. Waits while
 * the daemon restarts.
 */
import type { Command } from "commander";
import { sleep } from "../../model/clock.ts";
import { notRunning } from "../../operate/offline/not-running.ts";
import { ControlError, followControl } from "../../server/control-client.ts";
import { controlSocketPath } from "../../server/control-path.ts";
import type { TailLine } from "../../server/schema/tail-view.ts";
import { noteFault } from "../access/ask-daemon.ts";
import { queryText } from "../access/ask.ts";
import { type DaemonPlace, findDaemon } from "../access/find-daemon.ts";
import { requireKnownName } from "../access/known-name.ts";
import { type CliContext, CONFIG_OPTION } from "../terminal/context.ts";
import { formatTailLine } from "./tail-text.ts";

interface Options {
  readonly config: string;
  readonly watch?: string;
  readonly sink?: string;
  readonly json?: true;
}

const RECONNECT_EVERY_MS = 1_000;

export function addTail(program: Command, context: CliContext): void {
  program
    .command("tail")
    .description(
      "follow the running daemon: one line for each event and each delivery, as they happen, until ctrl-C",
    )
    .option("--watch <id>", "only lines of this watch")
    .option("--sink <name>", "only lines for this sink")
    .option(...CONFIG_OPTION)
    .option("--json", "print each line as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch tail --watch brand-mentions\n  chirpwatch tail --sink slack-brand --json",
    )
    .action((options: Options) => tail(context, options));
}

async function tail(context: CliContext, options: Options): Promise<void> {
  const { watch, sink, json } = options;
  const place = await findDaemon(context, options.config);
  if (place.fault === undefined) {
    const { watches, sinks } = place.config();
    requireKnownName(
      "watch",
      watch,
      watches.map(({ id }) => id),
    );
    requireKnownName(
      "sink",
      sink,
      sinks.map(({ name }) => name),
    );
  }
  const query = queryText({ watch, sink });
  const stop = new AbortController();
  const off = context.onSignals(["SIGINT", "SIGTERM"], () => stop.abort());
  const show = (data: string) =>
    context.out(json === true ? data : formatTailLine(JSON.parse(data) as TailLine));
  noteFault(context, place);
  try {
    await followAgain(context, {
      place,
      path: `/api/v1/tail?${query}`,
      show,
      signal: stop.signal,
    });
  } finally {
    off();
  }
}

interface Following {
  readonly place: DaemonPlace;
  readonly path: string;
  readonly show: (data: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Follows the daemon until the signal, and connects again after it was restarted. @throws ExitError
 * if no daemon answers the first time
 */
async function followAgain(
  context: CliContext,
  { place, path, show, signal }: Following,
): Promise<void> {
  let opened = 0;
  const onOpen = () => {
    context.err(opened === 0 ? "following the daemon; ctrl-C ends" : "the daemon answers again");
    opened += 1;
  };
  while (!signal.aborted) {
    const before = opened;
    try {
      await followControl(controlSocketPath(place.state.path), path, {
        onData: show,
        onOpen,
        signal,
      });
    } catch (error) {
      if (opened === 0)
        throw error instanceof ControlError && error.code === "CONTROL_NOT_RUNNING"
          ? notRunning(place.state, place.fault)
          : error;
    }
    if (signal.aborted) return;
    if (opened > before)
      context.err(
        "the daemon no longer answers: waiting for it; chirpwatch events shows what happens in between",
      );
    await sleep(context.clock, RECONNECT_EVERY_MS, signal);
  }
}
