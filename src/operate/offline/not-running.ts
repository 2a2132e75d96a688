/**
 * Creates the error of a command that only a running daemon can answer, when no daemon runs here.
 */
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { type StateAddress, stateName } from "../../model/postgres-address.ts";

/**
 * Creates the error. `fault` says what is wrong with the configuration. A faulty configuration may
 * name a different state from the daemon's.
 */
export const notRunning = (state: StateAddress, fault?: string): ExitError =>
  new ExitError(
    EXIT.failed,
    "NOT_RUNNING",
    `no daemon is running here on the state ${stateName(state)}${fault === undefined ? "" : ` (${fault})`}`,
    {
      hint: "Start it with `chirpwatch run`.",
    },
  );
