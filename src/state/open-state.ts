/**
 * Opens a state wherever it is. What that takes: open.ts for a file, open-postgres.ts for a server,
 * which is loaded only for one.
 */
import type { StateAddress } from "../model/postgres-address.ts";
import { type OpenedStore, type OpenOptions, openStore } from "./open.ts";

/** @throws ExitError with one sentence, its cure and the exit code. */
export async function openState(options: OpenOptions & StateAddress): Promise<OpenedStore> {
  const { postgres } = options;
  if (postgres === undefined) return openStore(options);
  const { openPostgres } = await import("./open-postgres.ts");
  return openPostgres(postgres, options);
}
