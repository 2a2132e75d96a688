/**
 * `chirpwatch replay`: shows the alerts that were given up, silenced or already sent, and then
 * sends them.
 */
import { type Command, Option } from "commander";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { ask, queryText } from "../access/ask.ts";
import { confirm } from "../terminal/confirm.ts";
import { nameCaller, type CliContext, CONFIG_OPTION } from "../terminal/context.ts";
import { viewDead } from "./dead.ts";
import { formatReplay } from "./dead-text.ts";
import { MAX_UNASKED, replaySent, type Resent, type SentFlags } from "./replay-sent.ts";
import { replaySilenced, type SilencedFlags } from "./replay-silenced.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { plural } from "../terminal/table.ts";

interface ReplayFlags extends SilencedFlags, SentFlags {
  readonly dead?: true;
  readonly silenced?: true;
}

export function addReplay(program: Command, context: CliContext): void {
  program
    .command("replay")
    .description("send alerts again: given up, held back by silences, or sent before")
    .option("--dead", "send the alerts that were given up; asks for confirmation above 20")
    .addOption(
      new Option(
        "--silenced",
        "send the alerts that silences held back; asks for confirmation above 20",
      ).conflicts("dead"),
    )
    .addOption(
      new Option("--event <id>", "send the alert of this event again").conflicts([
        "dead",
        "silenced",
      ]),
    )
    .addOption(
      new Option(
        "--since <time>",
        "send again what was sent or dropped since then: a time, or how long ago, like 2h; asks for confirmation above 20",
      ).conflicts(["dead", "silenced", "event"]),
    )
    .option(
      "--sink <name>",
      "only alerts for this sink; with --event or --since: send to this sink, even if it never got the alert",
    )
    .addOption(
      new Option(
        "--silence <id>",
        "with --silenced: only alerts that this silence held back",
      ).implies({
        silenced: true,
      }),
    )
    .option("--dry-run", "only show what would be sent")
    .option("--yes", "do not ask for confirmation")
    .option(...CONFIG_OPTION)
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch replay --dead --dry-run\n  chirpwatch replay --dead --sink slack-brand --yes\n  chirpwatch replay --silenced --silence 3\n  chirpwatch replay --since 2h --sink slack-brand --dry-run",
    )
    .action((flags: ReplayFlags) => replay(context, flags));
}

async function replay(context: CliContext, flags: ReplayFlags): Promise<void> {
  if (flags.event !== undefined || flags.since !== undefined)
    return replaySent(context, flags, confirmed);
  if (flags.silenced === true) return replaySilenced(context, flags, confirmed);
  if (flags.dead !== true)
    throw new ExitError(
      EXIT.usage,
      "REPLAY_WHAT",
      "say what to send: --dead, --silenced, --event or --since",
    );
  const { sink } = flags;
  const place = await findDaemon(context, flags.config);
  const { groups } = await viewDead(context, place, sink);
  if (groups.length === 0)
    return context.out(
      `nothing to send again: no dead letters${sink === undefined ? "" : ` for ${sink}`}`,
    );
  context.out(formatReplay(groups));
  const total = groups.reduce((sum, { alerts, configured }) => sum + (configured ? alerts : 0), 0);
  if (flags.dryRun === true || total === 0) return;
  if (total > MAX_UNASKED && flags.yes !== true) await confirmed();
  const path = `/api/v1/dead/replay?${queryText({ sink, by: nameCaller(context) })}`;
  const { alerts, effect } = await ask<Resent>(context, place, { method: "POST", path });
  context.out(`${plural(alerts, "alert")} ${alerts === 1 ? "goes" : "go"} out again ${effect}`);
}

/** Asks for confirmation. @throws ExitError unless the answer is yes */
async function confirmed(): Promise<void> {
  const isSure = await confirm("Send them?");
  if (isSure === undefined)
    throw new ExitError(
      EXIT.usage,
      "REPLAY_UNCONFIRMED",
      "there is no terminal to ask on: add --yes to send them, or --dry-run to only see them",
    );
  if (!isSure) throw new ExitError(EXIT.failed, "REPLAY_UNCONFIRMED", "nothing was sent");
}
