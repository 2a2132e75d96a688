/** `chirpwatch silence`: no alerts of some events for a while. Asked of the daemon, or written into the state. */
import type { Command } from "commander";
import { createSilence, endSilence, readSilences } from "../../app/delivering/silence-actions.ts";
import type { Json } from "../../model/json.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { AddedSilenceView, SilencesView, SilenceView } from "../../server/words/silence-view.ts";
import { askDaemon, noteFault, textAt } from "../access/ask-daemon.ts";
import { changeState } from "../access/change-state.ts";
import { type DaemonPlace, findDaemon } from "../access/find-daemon.ts";
import { readDaemon, readState } from "../access/read-daemon.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";
import { formatAdded, formatExpired, formatSilences } from "./silence-text.ts";

interface AddFlags {
  readonly config: string;
  readonly duration?: string;
  readonly comment?: string;
  readonly author?: string;
  readonly json?: true;
}

interface ListFlags {
  readonly config: string;
  readonly expired?: true;
  readonly json?: true;
}

const PATH = "/api/v1/silences";

export function addSilenceCommand(program: Command, context: CliContext): void {
  const silence = program
    .command("silence")
    .description("hold back alerts for a while, list what holds them back, or end it")
    .addHelpText("after", "\nExample:\n  chirpwatch silence list");
  silence
    .command("add")
    .description("hold back alerts of events with these labels; what is held back can be sent later with replay --silenced")
    .argument("[matchers...]", `as in routes: watch="brand", team=~"comms|press"; all must match`)
    .option("--duration <time>", "for how long, like 30m, 2h or 3d")
    .option("--comment <text>", "why, for whoever sees it later")
    .option("--author <name>", "who; the user of this terminal unless given")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      `\nExamples:\n  chirpwatch silence add 'watch="brand-mentions"' --duration 2h --comment "launch"\n  chirpwatch silence add 'team=~"comms|press"' 'lang!="en"' --duration 1d --comment "holiday" --author alice`,
    )
    .action((matchers: readonly string[], flags: AddFlags) => add(context, matchers, flags));
  silence
    .command("list")
    .description("list the silences that hold alerts back now, and how many each does")
    .option("--expired", "also those that have ended")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch silence list --expired")
    .action((flags: ListFlags) => list(context, flags));
  silence
    .command("expire")
    .description("end silences now; what they held back stays so until replay --silenced")
    .argument("<ids...>", "as `silence list` shows them")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch silence expire 3 4")
    .action((ids: readonly string[], flags: { readonly config: string }) => expire(context, ids, flags.config));
}

async function add(context: CliContext, matchers: readonly string[], flags: AddFlags): Promise<void> {
  const { duration = "", comment = "", author = context.env["USER"] ?? "" } = flags;
  const request = { matchers, duration, comment, author };
  const place = await findDaemon(context, flags.config);
  const silence = (await addToDaemon(context, place, request)) ?? (await addToState(context, place, request));
  if (flags.json === true) return context.out(JSON.stringify(silence, undefined, 2));
  context.out(formatAdded(silence, context.clock.now()));
}

type Request = Parameters<typeof createSilence>[1];

async function addToDaemon(context: CliContext, place: DaemonPlace, request: Request): Promise<AddedSilenceView | undefined> {
  const answer = await askDaemon(place, "POST", PATH, { body: { ...request } });
  if (answer === undefined) return undefined;
  noteFault(context, place);
  if (answer.status === 200) return answer.body as unknown as AddedSilenceView;
  const errors = errorsAt(answer.body);
  throw errors.length > 0 ? invalid(errors) : refused(answer.body, answer.status);
}

async function addToState(context: CliContext, place: DaemonPlace, request: Request): Promise<AddedSilenceView> {
  const config = place.config();
  const outcome = await changeState(context, place, (store) => createSilence(store, request, { config, nowMs: context.clock.now() }));
  if (!outcome.ok) throw invalid(outcome.errors);
  return outcome.silence;
}

async function list(context: CliContext, flags: ListFlags): Promise<void> {
  const view = await viewSilences(context, await findDaemon(context, flags.config), flags.expired === true);
  context.out(flags.json === true ? JSON.stringify(view, undefined, 2) : formatSilences(view, context.clock.now()));
}

/** As the daemon says it, else the state. */
export async function viewSilences(context: CliContext, place: DaemonPlace, withExpired: boolean): Promise<SilencesView> {
  const said = (await readDaemon(context, place, `${PATH}?expired=${withExpired}`)) as SilencesView | undefined;
  return said ?? (await readState(context, place.config(), (store) => readSilences(store, context.clock.now(), withExpired)));
}

/** All of them, or none where one is unknown. */
async function expire(context: CliContext, ids: readonly string[], configPath: string): Promise<void> {
  const place = await findDaemon(context, configPath);
  requireKnown(ids, (await viewSilences(context, place, true)).silences);
  for (const id of new Set(ids)) {
    const silence = (await expireAtDaemon(place, id)) ?? (await expireInState(context, place, id));
    context.out(formatExpired(silence));
  }
}

async function expireAtDaemon(place: DaemonPlace, id: string): Promise<SilenceView | undefined> {
  const answer = await askDaemon(place, "DELETE", `${PATH}/${encodeURIComponent(id)}`);
  if (answer === undefined) return undefined;
  if (answer.status !== 200) throw refused(answer.body, answer.status);
  return answer.body as unknown as SilenceView;
}

async function expireInState(context: CliContext, place: DaemonPlace, id: string): Promise<SilenceView> {
  const silence = await changeState(context, place, (store) => endSilence(store, id, context.clock.now()));
  if (silence === undefined) throw unknown([id], []);
  return silence;
}

/** @throws ExitError with what there is */
export function requireKnown(ids: readonly string[], known: readonly SilenceView[]): void {
  const missing = ids.filter((id) => !known.some((silence) => silence.id === id));
  if (missing.length > 0)
    throw unknown(
      missing,
      known.map(({ id }) => id),
    );
}

function unknown(ids: readonly string[], known: readonly string[]): ExitError {
  const hint = known.length === 0 ? "There are none." : `There are: ${known.join(", ")}`;
  return new ExitError(EXIT.failed, "SILENCE_UNKNOWN", `there is no silence ${ids.map((id) => `"${id}"`).join(", ")}`, { hint });
}

const invalid = (errors: readonly string[]): ExitError =>
  new ExitError(EXIT.usage, "SILENCE_INVALID", errors.join("\n"), { hint: "chirpwatch silence add --help shows examples" });

const refused = (body: Json, status: number): ExitError =>
  new ExitError(
    EXIT.failed,
    "DAEMON_REFUSED",
    `the running daemon refused: ${textAt(body, "error", "message") || `it answered ${status}`}`,
    {
      hint: "see its log",
    },
  );

function errorsAt(body: Json): readonly string[] {
  const { error } = body as { readonly error?: { readonly errors?: readonly string[] } };
  return error?.errors ?? [];
}
