/** `chirpwatch state`: is the state sound, a copy of it, and a copy put back in its place. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { EXIT, ExitError } from "../model/exit-code.ts";
import { backupState } from "../state/backup.ts";
import { checkState } from "../state/check.ts";
import { restoreState } from "../state/restore.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION, requireConfig } from "./context.ts";
import { formatCount } from "./table.ts";

interface StateFlags {
  readonly config: string;
  readonly json?: true;
}

export function addState(program: Command, context: CliContext): void {
  const state = program
    .command("state")
    .description("check, back up or restore the state file")
    .addHelpText("after", "\nExample:\n  chirpwatch state check");
  const add = (usage: string, description: string, example: string) =>
    state
      .command(usage)
      .description(description)
      .option(...CONFIG_OPTION)
      .option(...JSON_OPTION)
      .addHelpText("after", `\nExample:\n  chirpwatch state ${example}`);
  add("check", "read the whole file and say whether it is sound; works beside a running daemon", "check").action((flags: StateFlags) =>
    check(context, flags),
  );
  add("backup", "copy the state beside itself; works beside a running daemon", "backup").action((flags: StateFlags) =>
    backup(context, flags),
  );
  add(
    "restore <backup>",
    "put a backup in the state's place, keeping what was there; stop the daemon first",
    "restore data/chirpwatch.db.backup-0001-20260102T030405Z",
  ).action((path: string, flags: StateFlags) => restore(context, path, flags));
}

async function check(context: CliContext, flags: StateFlags): Promise<void> {
  const report = checkState(await statePath(context, flags));
  const { path, problems, schema, bytes, backups } = report;
  if (flags.json === true) context.out(JSON.stringify(report, undefined, 2));
  if (problems.length > 0)
    throw new ExitError(EXIT.storage, "STATE_CORRUPT", `The state file ${path} is damaged:\n${problems.join("\n")}`, {
      hint: restoreHint(backups),
    });
  if (flags.json === true) return;
  context.out(`${path} is sound: schema ${schema}, ${formatCount(bytes / 1_024)} KB.`);
  context.out(
    backups.length === 0 ? "There is no backup beside it." : `Backups, newest first:\n${backups.map((one) => `  ${one}`).join("\n")}`,
  );
}

const restoreHint = ([newest]: readonly string[]): string =>
  newest === undefined
    ? "There is no backup beside it: move the file away to begin anew."
    : `Restore the newest backup: chirpwatch state restore ${newest}`;

async function backup(context: CliContext, flags: StateFlags): Promise<void> {
  const made = await backupState(await statePath(context, flags), context.clock);
  context.out(flags.json === true ? JSON.stringify(made) : `Backed up to ${made.path} (${formatCount(made.bytes / 1_024)} KB).`);
}

async function restore(context: CliContext, path: string, flags: StateFlags): Promise<void> {
  const restored = restoreState(await statePath(context, flags), resolve(path), context.clock);
  if (flags.json === true) return context.out(JSON.stringify(restored));
  context.out(`Restored ${restored.path} from ${path} (schema ${restored.schema}).`);
  if (restored.replaced !== null) context.out(`What was there is kept as ${restored.replaced}.`);
}

async function statePath(context: CliContext, flags: StateFlags): Promise<string> {
  return (await requireConfig(context, flags.config, { lenientSecrets: true })).state.path;
}
