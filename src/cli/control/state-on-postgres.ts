/**
 * `chirpwatch state` for a state on Postgres: for backup and restore it names Postgres's own tools,
 * and it checks what only chirpwatch can check.
 */
import { EXIT, ExitError } from "../../model/exit-code.ts";
import {
  type PostgresAddress,
  postgresName,
  type StateAddress,
} from "../../model/postgres-address.ts";
import { openState } from "../../state/open-state.ts";
import type { CliContext } from "../terminal/context.ts";
import { formatCount } from "../terminal/table.ts";

/**
 * Checks that the server can be reached, that the login, the schema and the settings are right, and
 * that the tables are consistent. Warns of each setting that may lose data. @throws ExitError if a
 * check fails
 */
export async function checkOnPostgres(
  context: CliContext,
  state: StateAddress,
  isJson: boolean,
): Promise<void> {
  const { clock, random } = context;
  const store = await openState({
    ...state,
    clock,
    random,
    log: context.logger("warn"),
    readonly: true,
  });
  try {
    const { path } = store;
    const [bytes, problems] = [store.sizeBytes(), await store.inconsistencies()];
    if (isJson) context.out(JSON.stringify({ path, bytes, problems }, undefined, 2));
    if (problems.length > 0)
      throw new ExitError(
        EXIT.storage,
        "STATE_CORRUPT",
        `The tables of ${path} are inconsistent:\n${problems.join("\n")}`,
        {
          hint: "Restore a dump with pg_restore, as `chirpwatch state restore` says.",
        },
      );
    if (isJson) return;
    context.out(
      `${path} can be read, has this version's schema, and its tables are consistent: ${formatCount(bytes / 1_024)} KB.`,
    );
    context.out(
      "Postgres has its own check for damaged pages: run pg_amcheck, and initialise the server with --data-checksums.",
    );
  } finally {
    await store.close();
  }
}

export const refuseBackup = (address: PostgresAddress): ExitError =>
  new ExitError(
    EXIT.failed,
    "STATE_ON_POSTGRES",
    `The state is on ${postgresName(address)}: back it up with Postgres's own tools.`,
    {
      hint: `pg_dump --format=custom --file=chirpwatch.dump ${toolArguments(address)}; then check that \`pg_restore --list chirpwatch.dump\` names the tables.`,
    },
  );

export const refuseRestore = (address: PostgresAddress): ExitError =>
  new ExitError(
    EXIT.failed,
    "STATE_ON_POSTGRES",
    `The state is on ${postgresName(address)}: restore it with Postgres's own tools.`,
    {
      hint: `Stop the daemon, then pg_restore --clean --if-exists --single-transaction ${toolArguments(address)} chirpwatch.dump; then run \`chirpwatch state check\`.`,
    },
  );

const toolArguments = ({ host, port, user, database }: PostgresAddress): string =>
  `--host=${host} --port=${port} --username=${user} --dbname=${database}`;
