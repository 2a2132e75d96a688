/**
 * Reads from the state itself, opened read-only, for commands that do not ask a daemon first,
 * because it would answer the same.
 */
import type { Config } from "../../config/config.ts";
import type { StateAddress } from "../../model/postgres-address.ts";
import type { OpenedStore } from "../../state/open.ts";
import { openState } from "../../state/open-state.ts";
import type { CliContext } from "../terminal/context.ts";

/**
 * Returns whether there may be a state to read. This is always true of a state on Postgres, because
 * only a connection shows whether one exists.
 */
export const hasState = async (
  { files }: CliContext,
  { path, postgres }: StateAddress,
): Promise<boolean> => postgres !== undefined || files.exists(path);

/**
 * Reads from the state. @throws ExitError with exit code 74 if there is no state, or it cannot be
 * read
 */
export async function readState<T>(
  context: CliContext,
  config: Config,
  read: (store: OpenedStore) => Promise<T>,
): Promise<T> {
  const { clock, random } = context;
  const store = await openState({
    ...config.state,
    clock,
    random,
    log: context.logger("error"),
    readonly: true,
  });
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}
