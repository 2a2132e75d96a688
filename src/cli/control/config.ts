/**
 * `chirpwatch config`: lists the configurations that daemons have used on this state, and makes one
 * of them current again.
 */
import type { Command } from "commander";
import { configDigest, worksWith } from "../../app/fleet/revisions.ts";
import { isoTime } from "../../model/clock.ts";
import type { ConfigRevision } from "../../model/config-revisions.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { sha256 } from "../../runtime/hash.ts";
import { changeState } from "../access/change-state.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { readState } from "../access/read-state.ts";
import { nameCaller, type CliContext, CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";
import { formatTable, plural } from "../terminal/table.ts";

export function addConfig(program: Command, context: CliContext): void {
  const config = program
    .command("config")
    .description(
      "list the configurations that daemons have used on this state, or make one current again",
    )
    .addHelpText("after", "\nExample:\n  chirpwatch config list");
  config
    .command("list")
    .description(
      "list the configurations that daemons have used on this state, newest first, with when each became current and by whom",
    )
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch config list")
    .action((flags: { readonly config: string; readonly json?: true }) =>
      list(context, flags.config, flags.json === true),
    );
  config
    .command("activate")
    .description(
      "make this configuration the current one of a state on Postgres, even if a newer one has superseded it",
    )
    .option(...CONFIG_OPTION)
    .option("--author <name>", "who does this (default: the user of this terminal)")
    .addHelpText("after", "\nExample:\n  chirpwatch config activate -c watches.yaml")
    .action((flags: { readonly config: string; readonly author?: string }) =>
      activate(context, flags.config, flags.author),
    );
}

async function list(context: CliContext, configPath: string, asJson: boolean): Promise<void> {
  const config = (await findDaemon(context, configPath)).config();
  const revisions = await readState(context, config, (store) => store.configRevisions());
  if (asJson) return context.out(JSON.stringify(revisions.map(revisionView), undefined, 2));
  context.out(
    revisions.length === 0 ? "No daemon has used this state yet." : formatRevisions(revisions),
  );
}

const revisionView = ({ number, hash, atMs, cause, by }: ConfigRevision, index: number) => ({
  revision: number,
  hash,
  at: isoTime(atMs),
  cause,
  by,
  current: index === 0,
});

const formatRevisions = (revisions: readonly ConfigRevision[]): string =>
  formatTable(
    [
      { title: "REVISION", align: "right" },
      { title: "HASH" },
      { title: "AT" },
      { title: "CAUSE" },
      { title: "BY" },
      { title: "" },
    ],
    revisions.map(({ number, hash, atMs, cause, by }, index) => [
      ...[String(number), hash, isoTime(atMs).slice(0, 19).replace("T", " "), cause, by],
      index === 0 ? "current" : "",
    ]),
  );

async function activate(context: CliContext, configPath: string, author?: string): Promise<void> {
  const place = await findDaemon(context, configPath);
  const config = place.config();
  if (config.state.postgres === undefined)
    throw new ExitError(
      EXIT.usage,
      "USAGE",
      "the state is a file, and its only daemon always uses its configuration file as it is",
      {
        hint: "To have the file read again, run chirpwatch reload.",
      },
    );
  const by = nameCaller(context, author);
  const { number, count } = await changeState(context, place, async (store) => {
    const hash = configDigest(config, await store.configSalt(), sha256);
    const current = await store.proposeConfig({
      body: config.stored,
      hash,
      atMs: context.clock.now(),
      cause: "activate",
      by,
      mayGoBack: true,
    });
    await store.signals.send("configuration");
    return {
      number: current.number,
      count: (await store.connectedReplicas()).filter((replica) => worksWith(replica, hash)).length,
    };
  });
  context.out(
    `this configuration is now the current one, revision ${number}; ${plural(count, "replica")} ${count === 1 ? "has" : "have"} it`,
  );
}
