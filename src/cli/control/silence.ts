/** `chirpwatch silence`: holds back alerts about some events for a while. */
import type { Command } from "commander";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Effect } from "../../server/schema/change-view.ts";
import type {
  AddedSilenceView,
  SilencesView,
  SilenceView,
} from "../../server/schema/silence-view.ts";
import { ask } from "../access/ask.ts";
import { type DaemonPlace, findDaemon } from "../access/find-daemon.ts";
import { nameCaller, type CliContext, CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";
import { registerSilenceAuthor } from "./act-on-alert.ts";
import { formatAdded, formatExpired, formatSilences } from "./silence-text.ts";

interface AddFlags {
  readonly config: string;
  readonly sink?: readonly string[];
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
    .description(
      "hold back alerts of events with these labels; what is held back can be sent later with replay --silenced",
    )
    .argument("[matchers...]", `as in routes: watch="brand", team=~"comms|press"; all must match`)
    .option("--duration <time>", "for how long, like 30m, 2h or 3d")
    .option("--comment <text>", "why, for people who see the silence later")
    .option("--sink <names...>", "at these sinks only (default: at every sink)")
    .option("--author <name>", "who does this (default: the user of this terminal)")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      `\nExamples:\n  chirpwatch silence add 'watch="brand-mentions"' --duration 2h --comment "launch"\n  chirpwatch silence add 'team=~"comms|press"' 'lang!="en"' --duration 1d --comment "holiday" --author alice`,
    )
    .action((matchers: readonly string[], flags: AddFlags) => add(context, matchers, flags));
  registerSilenceAuthor(silence, context);
  silence
    .command("list")
    .description("list the active silences, and how many alerts each holds back")
    .option("--expired", "include silences that have ended")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch silence list --expired")
    .action((flags: ListFlags) => list(context, flags));
  silence
    .command("expire")
    .description("end silences now; replay --silenced sends what they held back")
    .argument("<ids...>", "ids of silences, from `silence list`")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch silence expire 3 4")
    .action((ids: readonly string[], flags: { readonly config: string }) =>
      expire(context, ids, flags.config),
    );
}

async function add(
  context: CliContext,
  matchers: readonly string[],
  flags: AddFlags,
): Promise<void> {
  const { duration = "", comment = "", author, sink: sinks } = flags;
  const body = { matchers, duration, comment, sinks, author: nameCaller(context, author) };
  const place = await findDaemon(context, flags.config);
  const silence = await ask<AddedSilenceView & Effect>(context, place, {
    method: "POST",
    path: PATH,
    body,
  }).catch(withExamples);
  if (flags.json === true) return context.out(JSON.stringify(silence, undefined, 2));
  context.out(formatAdded(silence, context.clock.now()));
}

/**
 * Turns an error about an invalid silence into a usage error with a hint at the examples. Other
 * errors are thrown as they are.
 */
function withExamples(error: unknown): never {
  if (!(error instanceof ExitError) || error.code !== "SILENCE_INVALID") throw error;
  throw new ExitError(EXIT.usage, error.code, error.message, {
    hint: "chirpwatch silence add --help shows examples",
  });
}

async function list(context: CliContext, flags: ListFlags): Promise<void> {
  const view = await viewSilences(
    context,
    await findDaemon(context, flags.config),
    flags.expired === true,
  );
  context.out(
    flags.json === true
      ? JSON.stringify(view, undefined, 2)
      : formatSilences(view, context.clock.now()),
  );
}

export const viewSilences = (
  context: CliContext,
  place: DaemonPlace,
  withExpired: boolean,
): Promise<SilencesView> => ask(context, place, { path: `${PATH}?expired=${withExpired}` });

/** Ends all of these silences, or none if one of them is unknown. */
async function expire(
  context: CliContext,
  ids: readonly string[],
  configPath: string,
): Promise<void> {
  const place = await findDaemon(context, configPath);
  requireKnown(ids, (await viewSilences(context, place, true)).silences);
  for (const id of new Set(ids)) {
    context.out(
      formatExpired(
        await ask(context, place, { method: "DELETE", path: `${PATH}/${encodeURIComponent(id)}` }),
      ),
    );
  }
}

/** Checks the ids. @throws ExitError that lists the known ids if one is unknown */
export function requireKnown(ids: readonly string[], known: readonly SilenceView[]): void {
  const missing = ids.filter((id) => !known.some((silence) => silence.id === id));
  if (missing.length > 0)
    throw unknown(
      missing,
      known.map(({ id }) => id),
    );
}

function unknown(ids: readonly string[], known: readonly string[]): ExitError {
  const hint = known.length === 0 ? "There are none." : `Known silences: ${known.join(", ")}`;
  return new ExitError(
    EXIT.failed,
    "SILENCE_UNKNOWN",
    `there is no silence ${ids.map((id) => `"${id}"`).join(", ")}`,
    { hint },
  );
}
