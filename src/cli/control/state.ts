/**
 * `chirpwatch state`: checks the state, backs it up, restores a backup, and moves it to Postgres or
 * back.
 */
import { resolve } from "node:path";
import type { Command } from "commander";
import { isoTime } from "../../model/clock.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { StateAddress } from "../../model/postgres-address.ts";
import { backupState } from "../../state/upkeep/backup.ts";
import { checkState } from "../../state/upkeep/check.ts";
import { type Restored, restoreState } from "../../state/upkeep/restore.ts";
import { changeState } from "../access/change-state.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";
import { type DaemonPlace, findDaemon } from "../access/find-daemon.ts";
import { hasState } from "../access/read-state.ts";
import { type MigrateFlags, migrateState } from "./state-migrate.ts";
import { checkOnPostgres, refuseBackup, refuseRestore } from "./state-on-postgres.ts";
import { ageText, formatCount, plural } from "../terminal/table.ts";

interface StateFlags {
  readonly config: string;
  readonly json?: true;
}

interface RestoreFlags extends StateFlags {
  readonly quiet?: true;
}

export function addState(program: Command, context: CliContext): void {
  const state = program
    .command("state")
    .description("check, back up, restore or move the state")
    .addHelpText("after", "\nExample:\n  chirpwatch state check");
  const add = (usage: string, description: string, example: string) =>
    state
      .command(usage)
      .description(description)
      .option(...CONFIG_OPTION)
      .option(...JSON_OPTION)
      .addHelpText("after", `\nExample:\n  chirpwatch state ${example}`);
  add("check", "check the whole file for damage; works while a daemon is running", "check").action(
    (flags: StateFlags) => check(context, flags),
  );
  add(
    "backup",
    "back up the state to a file next to it; works while a daemon is running",
    "backup",
  ).action((flags: StateFlags) => backup(context, flags));
  add(
    "restore <backup>",
    "replace the state with a backup, and keep the old state; stop the daemon first",
    "restore data/chirpwatch.db.backup-0001-20260102T030405Z --quiet",
  )
    .option("--quiet", "send neither alerts found since the backup nor those waiting in it")
    .action((path: string, flags: RestoreFlags) => restore(context, path, flags));
  add(
    "migrate",
    "copy the state to Postgres, or from there into a file; stop the daemon first",
    "migrate --to '${STATE_URL}'",
  )
    .requiredOption("--to <place>", "a Postgres address, or a file")
    .action((flags: MigrateFlags) => migrateState(context, flags));
}

async function check(context: CliContext, flags: StateFlags): Promise<void> {
  const state = await existingState(context, flags);
  if (state.postgres !== undefined) return checkOnPostgres(context, state, flags.json === true);
  const report = checkState(state.path);
  const { path, problems, schema, bytes, backups, wide } = report;
  if (flags.json === true) context.out(JSON.stringify(report, undefined, 2));
  if (problems.length > 0)
    throw new ExitError(
      EXIT.storage,
      "STATE_CORRUPT",
      `The state file ${path} is damaged:\n${problems.join("\n")}`,
      {
        hint: restoreHint(backups),
      },
    );
  if (flags.json === true) return;
  context.out(`${path} is sound: schema ${schema}, ${formatCount(bytes / 1_024)} KB.`);
  context.out(
    backups.length === 0
      ? "There is no backup next to it."
      : `Backups, newest first:\n${backups.map((one) => `  ${one}`).join("\n")}`,
  );
  for (const { path: open, mode, wanted } of wide)
    context.out(
      `Warning: users other than its owner can open ${open} (mode ${mode}): chmod ${wanted} ${open}`,
    );
}

const restoreHint = ([newest]: readonly string[]): string =>
  newest === undefined
    ? "There is no backup next to it: move the file away to start with an empty state."
    : `Restore the newest backup: chirpwatch state restore ${newest}`;

async function backup(context: CliContext, flags: StateFlags): Promise<void> {
  const state = await existingState(context, flags);
  if (state.postgres !== undefined) throw refuseBackup(state.postgres);
  const made = await backupState(state.path, context.clock);
  context.out(
    flags.json === true
      ? JSON.stringify(made)
      : `Backed up to ${made.path} (${formatCount(made.bytes / 1_024)} KB).`,
  );
}

async function restore(context: CliContext, path: string, flags: RestoreFlags): Promise<void> {
  const place = await findDaemon(context, flags.config);
  const { state } = place.config();
  if (state.postgres !== undefined) throw refuseRestore(state.postgres);
  const restored = restoreState(state.path, resolve(path), context.clock);
  const quiet = flags.quiet === true ? await quietly(context, place, restored) : undefined;
  if (flags.json === true) return context.out(JSON.stringify(toJson(restored, quiet)));
  context.out(`Restored ${restored.path} from ${path} (schema ${restored.schema}).`);
  context.out(reachText(restored, quiet, context.clock.now()));
  for (const line of changedLines(restored)) context.out(line);
  if (restored.replaced !== null) context.out(`What was there is kept as ${restored.replaced}.`);
}

/** Mutes the alerts that were waiting in the restored backup, and returns how many there were. */
async function quietly(
  context: CliContext,
  place: DaemonPlace,
  { reachesMs }: Restored,
): Promise<number> {
  const atMs = context.clock.now();
  if (reachesMs === null) return 0;
  // A backup that was made while a daemon ran is opened with a warning in the log that the state
  // was not closed. Such a backup is normal, so only errors are logged.
  return changeState(
    context,
    place,
    (store) => store.quieten({ fromMs: reachesMs, atMs }),
    "error",
  );
}

/** Lists what people did since the backup, such as silences and pauses, and the restore undid. */
function changedLines({ changed }: Restored): readonly string[] {
  const { returned, lost } = changed ?? { returned: [], lost: [] };
  return [
    ...(returned.length === 0
      ? []
      : [`Ended since the backup and active again: ${returned.join("; ")}.`]),
    ...(lost.length === 0 ? [] : [`Added since the backup and lost: ${lost.join("; ")}.`]),
  ];
}

const toJson = (
  { path, replaced, schema, reachesMs, alertsSince, changed }: Restored,
  quiet: number | undefined,
) => ({
  path,
  replaced,
  schema,
  reaches_at: reachesMs === null ? null : isoTime(reachesMs),
  alerts_since: alertsSince,
  quiet: quiet !== undefined,
  brought_back: changed?.returned ?? null,
  lost: changed?.lost ?? null,
});

/**
 * Says from when the backup is, and whether alerts since then are sent again, because the daemon
 * reads and evaluates that time once more.
 */
function reachText(
  { reachesMs, alertsSince }: Restored,
  quiet: number | undefined,
  nowMs: number,
): string {
  if (reachesMs === null) return "It is empty: every watch starts with a new baseline.";
  const reach = `It is from ${isoTime(reachesMs).slice(0, 16).replace("T", " ")} UTC, ${ageText(nowMs - reachesMs)} ago.`;
  if (quiet !== undefined)
    return `${reach} Alerts found since then are not sent${quiet === 0 ? "" : `, nor are those that were waiting in it (${plural(quiet, "alert")})`}.`;
  const alerts =
    alertsSince === null || alertsSince === 0
      ? "Alerts sent since then"
      : `${plural(alertsSince, "alert")} found since then`;
  return `${reach} ${alerts} may be sent again: to prevent that, restore it with --quiet.`;
}

/**
 * Finds the state. The configuration file need not be valid, as long as the state that it names
 * exists.
 */
async function existingState(context: CliContext, flags: StateFlags): Promise<StateAddress> {
  const { state, fault, config } = await findDaemon(context, flags.config);
  if (fault !== undefined && !(await hasState(context, state))) config();
  return state;
}
