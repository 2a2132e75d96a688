/**
 * `chirpwatch state migrate`: copies the state from a file to Postgres or back, and leaves the
 * original unchanged.
 */
import { dirname, join, resolve } from "node:path";
import { expandText } from "../../config/text/interpolate.ts";
import { parsePostgresUrl } from "../../config/text/postgres-url.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { type StateAddress, stateName } from "../../model/postgres-address.ts";
import { withDotEnv } from "../../runtime/environment.ts";
import { openState } from "../../state/open-state.ts";
import { copyState, type CopyStep } from "../../state/upkeep/copy-state.ts";
import { findDaemon } from "../access/find-daemon.ts";
import type { CliContext } from "../terminal/context.ts";
import { createProgress } from "../terminal/progress.ts";
import { formatCount, plural } from "../terminal/table.ts";

export interface MigrateFlags {
  readonly config: string;
  readonly to: string;
  readonly json?: true;
}

export async function migrateState(context: CliContext, flags: MigrateFlags): Promise<void> {
  const from = (await findDaemon(context, flags.config)).config().state;
  const to = await targetOf(context, flags, from);
  const names = { from: stateName(from), to: stateName(to) };
  if (names.from === names.to)
    throw new ExitError(EXIT.usage, "BAD_TARGET", `The state is already in ${names.to}.`);
  const { clock, random } = context;
  const log = context.logger("warn");
  // Both states are locked, so that no daemon can start on either of them during the copy.
  const source = await openState({ ...from, clock, random, log, mustExist: true });
  const progress = createProgress();
  try {
    const target = await openState({ ...to, clock, random, log, halfTransferred: true });
    try {
      const ends = [source, target].map(({ path, transfer }) => ({ name: path, transfer })) as [
        End,
        End,
      ];
      const counts = await copyState(...ends, (step) => progress.show(stepText(step)));
      progress.clear();
      report(context, flags, { ...names, rows: Object.fromEntries(counts), address: to });
    } finally {
      progress.clear();
      await target.close();
    }
  } finally {
    await source.close();
  }
}

type End = Parameters<typeof copyState>[0];

/**
 * Returns the address of the new state. `${NAME}` is replaced as in the configuration, so that no
 * password appears in the list of processes.
 */
async function targetOf(
  context: CliContext,
  { config, to }: MigrateFlags,
  from: StateAddress,
): Promise<StateAddress> {
  const text = expandText(to, await withDotEnv(context.env, context.files, resolve(config)));
  if (text === undefined || text === "")
    throw new ExitError(EXIT.usage, "BAD_TARGET", "--to names a variable that is not set.", {
      hint: "Set it, for example in .env.",
    });
  if (!/^\w+:\/\//.test(text)) return { path: resolve(text) };
  const postgres = parsePostgresUrl(text, dirname(resolve(config)));
  if ("problem" in postgres)
    throw new ExitError(EXIT.usage, "BAD_TARGET", `--to ${postgres.problem}.`);
  return { path: join(dirname(from.path), "transfer"), postgres };
}

const stepText = ({ doing, table, doneRows, totalRows }: CopyStep): string =>
  `${doing} ${table}: ${formatCount(doneRows)} of ${formatCount(totalRows)} rows, ${Math.floor((100 * doneRows) / Math.max(1, totalRows))}%`;

interface Migrated {
  readonly from: string;
  readonly to: string;
  readonly rows: Readonly<Record<string, number>>;
  readonly address: StateAddress;
}

function report(
  context: CliContext,
  flags: MigrateFlags,
  { from, to, rows, address }: Migrated,
): void {
  if (flags.json === true) return context.out(JSON.stringify({ from, to, rows }, undefined, 2));
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  context.out(`Copied ${plural(total, "row")} from ${from} to ${to} and compared each of them.`);
  const key = address.postgres === undefined ? `state: { path: ${to} }` : "state: { url: … }";
  context.out(
    `Write \`${key}\` into ${flags.config} and start the daemon. ${from} is unchanged: do not start a daemon on it again.`,
  );
}
