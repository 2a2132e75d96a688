/**
 * Opens a state wherever it is: `open.ts` opens a file, `open-postgres.ts` a database on a server
 * and is loaded only for that.
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
