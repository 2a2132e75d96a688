/** `chirpwatch dead`: lists alerts that were given up, and accepts their loss. */
import type { Command } from "commander";
import type { DeadView } from "../../server/schema/dead-view.ts";
import { ask, queryText } from "../access/ask.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";
import { requireKnownName } from "../access/known-name.ts";
import { formatDead } from "./dead-text.ts";
import { type DaemonPlace, findDaemon } from "../access/find-daemon.ts";
import { plural } from "../terminal/table.ts";

export interface DeadFlags {
  readonly config: string;
  readonly sink?: string;
  readonly json?: true;
}

export const SINK_OPTION = ["--sink <name>", "only alerts for this sink"] as const;

export function addDead(program: Command, context: CliContext): void {
  const dead = program
    .command("dead")
    .description("show alerts that were given up, or accept their loss")
    .addHelpText("after", "\nExample:\n  chirpwatch dead list");
  dead
    .command("list")
    .description("list alerts that were given up, with the reason")
    .option(...SINK_OPTION)
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch dead list --sink slack-brand")
    .action((flags: DeadFlags) => list(context, flags));
  dead
    .command("ack")
    .description(
      "accept that these alerts are lost, so that the daemon is no longer degraded because of them",
    )
    .option(...SINK_OPTION)
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch dead ack --sink slack-brand")
    .action((flags: DeadFlags) => acknowledge(context, flags));
}

async function list(context: CliContext, flags: DeadFlags): Promise<void> {
  const view = await viewDead(context, await findDaemon(context, flags.config), flags.sink);
  context.out(flags.json === true ? JSON.stringify(view, undefined, 2) : formatDead(view));
}

/**
 * Reads the dead letters. @throws ExitError if a named sink does not exist and has no dead letters
 */
export async function viewDead(
  context: CliContext,
  place: DaemonPlace,
  sink: string | undefined,
): Promise<DeadView> {
  const view = await ask<DeadView>(context, place, { path: `/api/v1/dead?${queryText({ sink })}` });
  if (view.groups.length > 0) return view;
  requireKnownName("sink", sink, view.sinks);
  return view;
}

async function acknowledge(context: CliContext, { config, sink }: DeadFlags): Promise<void> {
  const place = await findDaemon(context, config);
  await viewDead(context, place, sink);
  const path = `/api/v1/dead/ack?${queryText({ sink })}`;
  const { acknowledged: count } = await ask<{ readonly acknowledged: number }>(context, place, {
    method: "POST",
    path,
  });
  const of = sink === undefined ? "" : ` for ${sink}`;
  context.out(
    count === 0
      ? `nothing to acknowledge: no dead letters${of}`
      : `${plural(count, "dead letter")}${of} acknowledged`,
  );
}
