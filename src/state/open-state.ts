/**
 * Opens a state, which is a file or a database on a Postgres server. `open-postgres.ts` is loaded
 * only if the state is on a server.
 */
import type { StateAddress } from "../model/postgres-address.ts";
import { type OpenedStore, type OpenOptions, openStore } from "./open.ts";

/** Opens the state. @throws ExitError with a sentence, a hint and the exit code */
export async function openState(options: OpenOptions & StateAddress): Promise<OpenedStore> {
  const { postgres } = options;
  if (postgres === undefined) return openStore(options);
  const { openPostgres } = await import("./open-postgres.ts");
  return openPostgres(postgres, options);
}
