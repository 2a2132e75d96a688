/**
 * `chirpwatch replay --event` and `--since`: sends alerts again that were already sent, or that
 * were dropped.
 */
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { readReplayRequest } from "../../server/contract/replay-request.ts";
import type { Effect } from "../../server/schema/change-view.ts";
import type { ReplayRequest, ReplayView } from "../../server/schema/replay-view.ts";
import { ask, queryText } from "../access/ask.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { nameCaller, type CliContext } from "../terminal/context.ts";
import { plural } from "../terminal/table.ts";
import { requireKnownName } from "../access/known-name.ts";

export interface SentFlags {
  readonly config: string;
  readonly event?: string;
  readonly since?: string;
  readonly sink?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** The result: how many alerts are sent again, and a text that says when and by which daemon. */
export type Resent = { readonly alerts: number } & Effect;

/** How many alerts are sent again without asking the user. */
export const MAX_UNASKED = 20;

/** Sends the alerts again. `confirmed` asks the user, and throws unless the answer is yes. */
export async function replaySent(
  context: CliContext,
  flags: SentFlags,
  confirmed: () => Promise<void>,
): Promise<void> {
  const { event, since, sink } = flags;
  const request = readReplayRequest(
    { event, since, sink, by: nameCaller(context) } as Record<string, string>,
    context.clock.now(),
    "",
  );
  if (typeof request === "string")
    throw new ExitError(EXIT.usage, "REPLAY_WHAT", request, {
      hint: "chirpwatch replay --help shows examples",
    });
  const place = await findDaemon(context, flags.config);
  if (place.fault === undefined)
    requireKnownName(
      "sink",
      sink,
      place.config().sinks.map(({ name }) => name),
    );
  const path = `/api/v1/replay?${queryOf(request)}`;
  const view = await ask<ReplayView>(context, place, { path });
  if (view.events === 0 && event !== undefined)
    throw new ExitError(EXIT.failed, "EVENT_UNKNOWN", `there is no event "${event}"`, {
      hint: "chirpwatch events --json and chirpwatch explain show the ids; events older than state.retention are deleted",
    });
  const total = view.alerts.reduce(
    (sum, { alerts, configured }) => sum + (configured ? alerts : 0),
    0,
  );
  for (const line of replayLines(view, total, flags)) context.out(line);
  if (total === 0 || flags.dryRun === true) return;
  if (total > MAX_UNASKED && flags.yes !== true) await confirmed();
  const { alerts, effect } = await ask<Resent>(context, place, { method: "POST", path });
  context.out(`${plural(alerts, "alert")} ${alerts === 1 ? "goes" : "go"} out again ${effect}`);
}

/**
 * Returns the query with an absolute time, so that a time such as `2h` means the same in both
 * requests.
 */
function queryOf({ what, sink, by }: ReplayRequest): string {
  const asked =
    "eventId" in what ? { event: what.eventId } : { since: new Date(what.sinceMs).toISOString() };
  return queryText({ ...asked, sink, by });
}

function replayLines(
  { alerts, under_way: underWay, silenced }: ReplayView,
  total: number,
  { sink, event }: SentFlags,
): readonly string[] {
  const lines = alerts.map(({ sink: name, alerts: count, configured, reach_again: again = 0 }) =>
    configured
      ? `${plural(count, "alert")} for ${name}${again === 0 ? "" : againText(name, again)}`
      : `${plural(count, "alert")} for ${name}: not sent, the configuration has no sink ${name}`,
  );
  if (underWay > 0)
    lines.push(
      `${plural(underWay, "alert")} not sent yet: left as ${underWay === 1 ? "it is" : "they are"}`,
    );
  if (silenced > 0)
    lines.push(`${plural(silenced, "alert")} silenced: chirpwatch replay --silenced sends them`);
  if (total > 0) return lines;
  const why =
    event !== undefined && sink === undefined && lines.length === 0
      ? ": no sink took this event. Name one with --sink"
      : "";
  return [...lines, `nothing to send again${why}`];
}

const againText = (sink: string, again: number): string =>
  ` (${again} of them may reach receivers that already have ${again === 1 ? "it" : "them"}: ${sink} does not report which receivers took it)`;
