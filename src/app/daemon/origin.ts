/**
 * Records in the state from which service its items come, and refuses any other service, because
 * ids of different services must not be mixed.
 */
import type { Config } from "../../config/config.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { stateName } from "../../model/postgres-address.ts";
import type { Notes } from "../../model/store.ts";

const NOTE = "origin";

const originOf = (config: Config): string =>
  config.api.baseUrl === "sandbox" ? "sandbox" : new URL(config.api.baseUrl).origin;

/**
 * Records the configured service in the state. @throws ExitError ORIGIN_DIFFERS if the state
 * belongs to another service
 */
export async function claimOrigin(notes: Notes, config: Config): Promise<void> {
  const origin = originOf(config);
  const known = await notes.readNote(NOTE);
  if (known === null) return notes.writeNote(NOTE, origin);
  if (known === origin) return;
  throw new ExitError(
    EXIT.badConfig,
    "ORIGIN_DIFFERS",
    `The state ${stateName(config.state)} was created with the service ${JSON.stringify(known)}, but api.base_url is now ${origin}.`,
    {
      hint: `Set ${config.state.postgres === undefined ? "state.path to a new file" : "state.url to a new database"} for this service, or restore the former address.`,
    },
  );
}
