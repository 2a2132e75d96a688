/** `chirpwatch replay --silenced`: sends the alerts that silences held back. */
import type { SilenceView } from "../../server/schema/silence-view.ts";
import { ask, queryText } from "../access/ask.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { nameCaller, type CliContext } from "../terminal/context.ts";
import { alertsOf } from "../terminal/silence-table.ts";
import { plural } from "../terminal/table.ts";
import { requireKnownName } from "../access/known-name.ts";
import { MAX_UNASKED, type Resent } from "./replay-sent.ts";
import { requireKnown, viewSilences } from "./silence.ts";
import { formatSilenced } from "./silence-text.ts";

export interface SilencedFlags {
  readonly config: string;
  readonly sink?: string;
  readonly silence?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** Sends the alerts. `confirmed` asks the user, and throws unless the answer is yes. */
export async function replaySilenced(
  context: CliContext,
  flags: SilencedFlags,
  confirmed: () => Promise<void>,
): Promise<void> {
  const { sink, silence } = flags;
  const place = await findDaemon(context, flags.config);
  // With an invalid file the daemon still has the sinks that it loaded before, so names are not
  // checked.
  const sinks =
    place.fault === undefined ? place.config().sinks.map(({ name }) => name) : undefined;
  if (sinks !== undefined) requireKnownName("sink", sink, sinks);
  const all = (await viewSilences(context, place, true)).silences;
  if (silence !== undefined) requireKnown([silence], all);
  const chosen = all
    .filter(({ id }) => silence === undefined || id === silence)
    .map((one) => atSinks(one, sink === undefined ? sinks : [sink]));
  const held = chosen.reduce((sum, one) => sum + alertsOf(one), 0);
  if (held === 0) return context.out("nothing to send: no alerts are silenced");
  context.out(formatSilenced(chosen));
  if (flags.dryRun === true) return;
  if (held > MAX_UNASKED && flags.yes !== true) await confirmed();
  const path = `/api/v1/silences/replay?${queryText({ sink, silence, by: nameCaller(context) })}`;
  const { alerts, effect } = await ask<Resent>(context, place, { method: "POST", path });
  context.out(`${plural(alerts, "alert")} ${alerts === 1 ? "goes" : "go"} out ${effect}`);
}

/**
 * Returns the silence with the counts of these sinks only. If `sinks` is undefined, all are kept.
 */
const atSinks = (silence: SilenceView, sinks: readonly string[] | undefined): SilenceView => ({
  ...silence,
  silenced: silence.silenced.filter(({ sink }) => sinks === undefined || sinks.includes(sink)),
});
